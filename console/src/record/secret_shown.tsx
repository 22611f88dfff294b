// A secret, this once: to be copied before the page is left.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { ShieldAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Guard } from '../form/guard.tsx'
import { wordsOf } from '../format.ts'
import { CopyLine } from '../parts/copy.tsx'

type SecretShownProps = {
  secrets: readonly [string, string][]
  /** How it is used. */
  children?: ReactNode
  onDone: () => void
}

export function SecretShown({ secrets, children, onDone }: SecretShownProps) {
  const [isCopied, setIsCopied] = useState(false)
  const finish = () => {
    setIsCopied(true)
    onDone()
  }
  return (
    <Stack>
      <Alert color="yellow" icon={<ShieldAlert size={18} aria-hidden />} title="Copy the secret now">
        It is shown this once. Whoever has it can do what it opens.
      </Alert>
      {secrets.map(([name, value]) => (
        <div key={name}>
          {secrets.length > 1 && (
            <Text size="sm" mb={4}>
              {wordsOf(name)}
            </Text>
          )}
          <CopyLine value={value} label="Copy the secret" />
        </div>
      ))}
      {children}
      <Group justify="flex-end">
        <Button onClick={finish}>I have copied it</Button>
      </Group>
      <Guard
        isOn={() => !isCopied}
        title="Leave the secret behind?"
        text="It is shown this once. If you have not copied it, you will have to make a new one."
        leave="Leave"
        stay="Stay and copy it"
      />
    </Stack>
  )
}

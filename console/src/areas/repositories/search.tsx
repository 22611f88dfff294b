// A text, looked for in the newest code of all repositories of the workspace.
import { Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { FileSearch, SearchX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import { LinkText } from '../../parts/links.tsx'
import { Empty, Loaded } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Hits, HitsRemark } from './hits.tsx'
import { short, usePlace } from './place.tsx'

type Found = ResultOf<'repositories.search'>

/** What is looked for stands in the address. */
export function CodeSearch() {
  const [{ text = '', anyCase }, look] = usePlace()
  const [typed, setTyped] = useState(text)
  const [isAnyCase, setAnyCase] = useState(anyCase !== undefined)
  const find = (event: FormEvent) => {
    event.preventDefault()
    look({ text: typed || undefined, anyCase: isAnyCase ? 'yes' : undefined } as never)
  }
  return (
    <Stack>
      <search aria-label="Code of all repositories">
        <form onSubmit={find}>
          <Group align="end">
            <TextInput
              label="Text in the code"
              flex="1 1 16rem"
              maw={480}
              value={typed}
              onChange={event => setTyped(event.currentTarget.value)}
              maxLength={500}
            />
            <Checkbox
              mb={8}
              label="In any case"
              checked={isAnyCase}
              onChange={event => setAnyCase(event.currentTarget.checked)}
            />
            <Button type="submit">Find</Button>
          </Group>
        </form>
      </search>
      {text === '' ? (
        <Empty
          icon={FileSearch}
          title="Search the code of all repositories"
          text="Every line that has the text is found, as the default branches were when they were last synced."
        />
      ) : (
        <Results text={text} isAnyCase={anyCase !== undefined} />
      )}
    </Stack>
  )
}

function Results({ text, isAnyCase }: { text: string; isAnyCase: boolean }) {
  const workspaceId = useWorkspaceId()
  const asked = { workspaceId, q: text, limit: 200, ...(isAnyCase && { ignoreCase: true }) }
  const query = useCall('repositories.search', asked)
  return (
    <Loaded query={query}>
      {found => (found.hits.length === 0 ? <None found={found} /> : <All found={found} words={{ text, isAnyCase }} />)}
    </Loaded>
  )
}

function None({ found: { searched, truncated } }: { found: Found }) {
  const looked = `${countOf(searched, 'repository', 'repositories')} ${searched === 1 ? 'was' : 'were'} looked through.`
  return (
    <Empty
      icon={SearchX}
      title={searched === 0 ? 'There is no code to search yet' : 'No line has this text'}
      text={truncated ? `${looked} Not all of them could be: try again.` : looked}
    />
  )
}

function All({ found, words }: { found: Found; words: { text: string; isAnyCase: boolean } }) {
  const workspaceId = useWorkspaceId()
  const { hits, searched, truncated } = found
  const groups = Map.groupBy(hits, ({ repositoryId }) => repositoryId)
  return (
    <Stack gap="lg" className="atrium-parted">
      <Text size="sm" role="status">
        {countOf(hits.length, 'line')} in {countOf(groups.size, 'repository', 'repositories')}, of{' '}
        {searched.toLocaleString('en')} that were looked through
      </Text>
      {[...groups].map(([id, own]) => (
        <section key={id} aria-label={own[0]?.repository}>
          <Group gap="xs" mb="xs">
            <Title order={2} size="h4">
              <LinkText to={`/w/${workspaceId}/repositories/${id}` as '/'} inherit underline="hover">
                {own[0]?.repository}
              </LinkText>
            </Title>
            <Text size="sm" ff="monospace">
              {short(own[0]?.sha ?? '')}
            </Text>
          </Group>
          <Hits id={id} hits={own} sha={own[0]?.sha ?? ''} words={words} />
        </section>
      ))}
      <HitsRemark isTruncated={truncated} />
    </Stack>
  )
}

// What is further down the page asks for nothing until somebody comes there.
import { useInViewport } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** True from when it first came into sight. */
export function useSeen() {
  const { ref, inViewport } = useInViewport()
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (inViewport) setIsSeen(true)
  }, [inViewport])
  return { ref, isSeen }
}

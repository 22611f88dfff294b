// The bot check on sign-up, only where the instance has one configured.
import { Box } from '@mantine/core'
import { useEffect, useRef } from 'react'

type Turnstile = { render(place: HTMLElement, options: object): string; remove(id: string): void }

declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

const source = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

export function BotCheck({ siteKey, onToken }: { siteKey: string; onToken: (token: string) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const tell = useRef(onToken)
  tell.current = onToken
  useEffect(() => {
    let widget: string | undefined
    const draw = () => {
      if (place.current && window.turnstile) {
        widget = window.turnstile.render(place.current, {
          sitekey: siteKey,
          callback: (token: string) => tell.current(token),
          'expired-callback': () => tell.current(''),
        })
      }
    }
    const script = document.createElement('script')
    script.src = source
    script.async = true
    script.onload = draw
    if (window.turnstile) draw()
    else document.head.append(script)
    return () => {
      if (widget) window.turnstile?.remove(widget)
    }
  }, [siteKey])
  return <Box ref={place} mih={65} />
}

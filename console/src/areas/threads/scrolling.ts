// Where one stands in a long thread: it opens at its end, follows what grows there, and nothing moves what is being read.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Message } from './thread.ts'

const nearPixels = 120

type Scrolling = {
  /** How many came below while somebody read above. */
  unseen: number
  toEnd: () => void
}

/** `wanted`: the message to begin at, in place of the end. */
export function useScrolling(
  list: RefObject<HTMLElement | null>,
  items: readonly Message[],
  wanted: string | undefined,
): Scrolling {
  const isAtEnd = useRef(wanted === undefined)
  const [seen, setSeen] = useState(0)
  const last = items.at(-1)?.seq ?? 0
  const newest = useRef(last)
  newest.current = last
  const toEnd = useCallback(() => {
    isAtEnd.current = true
    setSeen(newest.current)
    window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [])
  useEffect(() => {
    let before = window.scrollY
    const look = () => {
      const { scrollHeight } = document.documentElement
      const isNear = window.scrollY + window.innerHeight >= scrollHeight - nearPixels
      // Only who scrolls up leaves the end; that the end moved away is no reason.
      if (isNear || window.scrollY < before) isAtEnd.current = isNear
      before = window.scrollY
      if (isAtEnd.current) setSeen(newest.current)
    }
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [])
  useEffect(() => {
    if (isAtEnd.current) setSeen(last)
  }, [last])
  useFollowed(list, isAtEnd, items.length > 0)
  useWanted(wanted, items.length > 0)
  useAnchor(list, items[0]?.seq)
  return { unseen: seen === 0 ? 0 : Math.max(0, last - seen), toEnd }
}

/** Whatever grows pushes the end down; who stood there stays there. */
function useFollowed(list: RefObject<HTMLElement | null>, isAtEnd: RefObject<boolean>, hasItems: boolean): void {
  useEffect(() => {
    const place = list.current
    if (!place || !hasItems) return
    const follow = () => isAtEnd.current && window.scrollTo({ top: document.documentElement.scrollHeight })
    // After the router, which begins each page at its top.
    const frame = requestAnimationFrame(follow)
    const observer = new ResizeObserver(follow)
    observer.observe(place.closest('main') ?? place)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [list, isAtEnd, hasItems])
}

function useWanted(wanted: string | undefined, hasItems: boolean): void {
  useEffect(() => {
    if (!wanted || !hasItems) return
    const show = () => document.getElementById(wanted)?.scrollIntoView({ block: 'center' })
    // A second time, when what stands above it was drawn and has its height.
    const frame = requestAnimationFrame(() => {
      show()
      requestAnimationFrame(show)
    })
    return () => cancelAnimationFrame(frame)
  }, [wanted, hasItems])
}

/** What is put above what is being read pushes nothing down: the page is moved by as much. */
function useAnchor(list: RefObject<HTMLElement | null>, first: number | undefined): void {
  const kept = useRef<{ first: number; height: number } | null>(null)
  useLayoutEffect(() => {
    const height = list.current?.scrollHeight ?? 0
    const before = kept.current
    if (before && first !== undefined && first < before.first) window.scrollBy({ top: height - before.height })
    if (first !== undefined) kept.current = { first, height }
  }, [list, first])
  useEffect(() => {
    if (kept.current) kept.current.height = list.current?.scrollHeight ?? 0
  })
}

// What a list shows: page, order, filters. On a page of its own it stands in the address, in a tab it is kept by the tab.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

export type Look = { page?: number; orderBy?: string; order?: 'asc' | 'desc'; q?: string } & Record<string, unknown>
export type ChangeLook = (changed: Look) => void

/** What stands behind the `?`, and the way to change it: another choice begins at the first page. */
export function useLook<S extends object = Look>(): [S, (changed: Partial<S> & { page?: number }) => void] {
  const navigate = useNavigate()
  const search: object = useSearch({ strict: false })
  const look = (changed: object) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, page: undefined, ...changed }) as never })
  return [search as S, look]
}

export function useOwnLook(): [Look, ChangeLook] {
  const [look, setLook] = useState<Look>({})
  return [look, changed => setLook(({ page: _, ...before }) => ({ ...before, ...changed }))]
}

/** Whole days in the person's own time. */
export function spanOf({ from, to }: Look): { from?: string; to?: string } {
  const start = from ? new Date(`${from}T00:00`) : null
  const end = to ? new Date(`${to}T00:00`) : null
  end?.setDate(end.getDate() + 1)
  return { ...(start && { from: start.toISOString() }), ...(end && { to: end.toISOString() }) }
}

// Pages that are loaded when they are opened. One that cannot be loaded says so in its place and is asked for again there.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect } from 'react'
import { queryClient } from './api.ts'
import { Loaded } from './parts/page.tsx'
import { failed } from './parts/toast.tsx'

type Loading<K extends string> = () => Promise<Record<K, ComponentType>>

/** A route's component and loader. The router's own way would load the whole page anew, and with it lose all input. */
export function lazily<K extends string>(name: K, load: Loading<K>) {
  const options = pageOptions(name, async () => (await load())[name])
  return { component: () => <LazyPage options={options} />, loader: () => queryClient.prefetchQuery(options) }
}

function pageOptions(name: string, load: () => Promise<ComponentType>) {
  return queryOptions({
    queryKey: ['page', name],
    queryFn: async () => ({ View: await load() }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
    retry: false,
  })
}

/** A part of a page whose code is loaded when it is first drawn; `meanwhile` stands in its place until then. */
export function whenNeeded<P extends object>(
  name: string,
  load: () => Promise<ComponentType<P>>,
  meanwhile: (props: P) => ReactNode = () => null,
): ComponentType<P> {
  const options = {
    ...pageOptions(name, load as unknown as () => Promise<ComponentType>),
    queryKey: ['part', name],
  }
  return props => {
    const found = useQuery(options)
    const View = found.data?.View as unknown as ComponentType<P> | undefined
    if (View) return <View {...props} />
    return found.isPending ? meanwhile(props) : <Loaded query={found}>{() => null}</Loaded>
  }
}

type Closing = { onClose: () => void }

/** A dialog whose code is loaded when it is first opened. Where that fails it says so and closes; the page stays. */
export function dialogWhenNeeded<K extends string>(
  name: K,
  load: () => Promise<Record<K, ComponentType<Closing>>>,
): ComponentType<Closing> {
  const options = {
    ...pageOptions(name, async () => (await load())[name] as unknown as ComponentType),
    queryKey: ['dialog', name],
  }
  return ({ onClose }) => {
    const found = useQuery(options)
    const View = found.data?.View as unknown as ComponentType<Closing> | undefined
    const isLost = found.isError && !found.isFetching
    // biome-ignore lint/correctness/useExhaustiveDependencies: told once
    useEffect(() => {
      if (!isLost) return
      failed(new Error('The service does not answer. Your input is kept; try again in a moment.'))
      onClose()
    }, [isLost])
    return View ? <View onClose={onClose} /> : null
  }
}

function LazyPage({ options }: { options: ReturnType<typeof pageOptions> }) {
  const found = useQuery(options)
  return <Loaded query={found}>{({ View }) => <View />}</Loaded>
}

// Work with an end: its signal is aborted when the time is over or the service stops, and nobody waits any longer.

export async function inTime<T>(
  ms: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (error: unknown) => {
    abort.abort(error)
    reject(error)
  }
  const stop = () => end(stopping.reason)
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => end(new Error(`it took longer than ${ms / 1000} s`)), ms).unref()
  try {
    return await Promise.race([work(abort.signal), ended])
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', stop)
  }
}

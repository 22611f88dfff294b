// Several processes behind one port: the first prepares the database, the others follow, and one that dies is replaced.
import cluster, { type Worker } from 'node:cluster'

export type Workers = {
  count: number
  /** The file that each of them runs. */
  exec: string
  /** All of them answer. */
  onReady: () => void
  /** What an operator should know. */
  warn: (fields: object, text: string) => void
}

const firstDelayMs = 200
const longestDelayMs = 30_000
/** One that lived this long did not die of its start. */
const provenMs = 60_000
/** Dead so often in a row, with none left that answers, it is for the service manager to decide. */
const mostDeaths = 10
/** A worker takes nine seconds at most to stop by itself. */
const longestStopMs = 9_500
const longestGatherMs = 2_000

/** For a worker: it answers from now on. */
export function tellListening(): void {
  process.send?.({ isListening: true } satisfies Message)
}

/**
 * Each worker listens by itself on the same port, and the kernel spreads the connections: one that the primary had handed
 * to a worker would hang for ever if that worker died. Never returns: the process ends when the last worker has, or when
 * the first one could not start.
 */
export function superviseWorkers({ count, exec, onReady, warn }: Workers): void {
  cluster.setupPrimary({ exec, args: [] })
  const answering = new Set<Worker>()
  const coming = new Set<NodeJS.Timeout>()
  let hasStarted = false
  let isComplete = false
  let isStopping = false
  let deaths = 0
  let worstCode = 0

  function launch(): void {
    const worker = cluster.fork()
    let listeningSince = 0
    worker.on('message', (message: Message) => {
      if (!message.isListening) return
      listeningSince = performance.now()
      answering.add(worker)
      // Only now: the first one has migrated the database and made the key; its failure would be everyone's.
      if (!hasStarted) for (let index = 1; index < count; index++) launch()
      hasStarted = true
      if (answering.size === count && !isComplete) {
        isComplete = true
        onReady()
      }
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      answering.delete(worker)
      if (isStopping) return ended(code ?? (signal === 'SIGTERM' ? 0 : 1))
      // It has said itself why.
      if (!hasStarted) process.exit(code || 1)
      if (listeningSince > 0 && performance.now() - listeningSince > provenMs) deaths = 0
      replace(worker, code ?? signal)
    })
  }

  function replace(worker: Worker, reason: number | string | null): void {
    if (++deaths > mostDeaths && answering.size === 0) {
      warn({ deaths }, 'no worker stays alive; giving up')
      process.exit(1)
    }
    const delayMs = Math.min(firstDelayMs * 2 ** (deaths - 1), longestDelayMs)
    warn({ pid: worker.process.pid, reason, delayMs }, 'a worker died; another takes its place')
    const timer = setTimeout(() => {
      coming.delete(timer)
      launch()
    }, delayMs)
    coming.add(timer)
  }

  function ended(code: number): void {
    worstCode = Math.max(worstCode, code)
    if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(worstCode)
  }

  function killAll(): never {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
    process.exit(1)
  }

  function stop(): void {
    if (isStopping) killAll()
    isStopping = true
    setTimeout(killAll, longestStopMs).unref()
    for (const timer of coming) clearTimeout(timer)
    const workers = Object.values(cluster.workers ?? {})
    for (const worker of workers) worker?.process.kill('SIGTERM')
    if (workers.length === 0) process.exit(0)
  }

  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  passFiguresOn(answering)
  launch()
}

type Figures = readonly object[]
type Message = { isListening?: true; ask?: 'figures' | 'all'; id?: number; figures?: Figures; all?: Figures[] }

/** Whoever has ended meanwhile needs no figures. */
const gone = () => {}

/** A scrape reaches one worker; it is told the figures of all that answer in time. */
function passFiguresOn(answering: ReadonlySet<Worker>): void {
  const open = new Map<number, { wanted: number; all: Figures[]; done: () => void }>()
  let last = 0
  cluster.on('message', (asker: Worker, message: Message) => {
    if (message.ask === 'all') {
      const id = ++last
      const done = () => {
        clearTimeout(late)
        if (open.delete(id)) asker.send({ id: message.id, all: gathered.all }, gone)
      }
      const late = setTimeout(done, longestGatherMs).unref()
      const gathered = { wanted: answering.size, all: [] as Figures[], done }
      open.set(id, gathered)
      for (const worker of answering) worker.send({ ask: 'figures', id }, gone)
    } else if (message.figures) {
      const gathered = open.get(message.id ?? 0)
      if (gathered?.all.push(message.figures) === gathered?.wanted) gathered?.done()
    }
  })
}

/** For a worker: gives its own figures when asked, and asks for everybody's. */
export function gatherFigures(own: () => Promise<Figures>): () => Promise<Figures[]> {
  const waiting = new Map<number, (all: Figures[]) => void>()
  let last = 0
  process.on('message', ({ ask, id = 0, all }: Message) => {
    if (ask === 'figures') {
      // Without an answer the primary goes on after its patience.
      own().then(
        figures => process.send?.({ id, figures }),
        () => {},
      )
    } else if (all) {
      waiting.get(id)?.(all)
      waiting.delete(id)
    }
  })
  return () =>
    new Promise(resolve => {
      const id = ++last
      waiting.set(id, resolve)
      process.send?.({ ask: 'all', id } satisfies Message)
    })
}

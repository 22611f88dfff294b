// The thread in which one report is rendered.
import { parentPort, workerData } from 'node:worker_threads'
import { type Report, render, type Setting } from './report.ts'

const { report, setting } = workerData as { report: Report; setting: Setting }
parentPort?.postMessage(render(report, setting))

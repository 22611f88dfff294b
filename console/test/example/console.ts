// The console of the tests, in a folder of its own.
import { mountConsole as mount } from '../../../src/server/doors/console.ts'
import { built } from './built.ts'

export const mountConsole: typeof mount = (app, platform, folder = built) => mount(app, platform, folder)

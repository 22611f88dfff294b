// A tool call runs through more code than a processor keeps at hand. Between its parts it steps aside for a turn of the
// event loop: where many come at once, one part is done for all of them and then the next, which takes half the time.
export { setImmediate as nextTurn } from 'node:timers/promises'

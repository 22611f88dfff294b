// What other areas ask of live updates: to follow a workspace, and who may be told of what.
export { follow, type News } from './hub.ts'
export { maySee, shownTo, type Viewer, viewerOf } from './visibility.ts'

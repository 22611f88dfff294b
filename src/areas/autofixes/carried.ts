// Autofixes in the archive of a workspace: their hash is that of their patch, whichever ids stand in it now.
import type { Carrier } from '../../kit/carrying.ts'
import { hashAgain } from './store.ts'

export const carrier: Carrier = { settle: hashAgain }

import { fuzzPart } from './part.ts'

fuzzPart(0)

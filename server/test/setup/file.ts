import { afterAll } from 'vitest'
import { endFile } from '../when-file-ends.ts'

// A worker loads a module once for all the test files it runs, and this one again for each of them.
afterAll(endFile)

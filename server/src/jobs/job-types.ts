import { runImport } from './import/run-import.ts'
import { runUndo } from './import/run-undo.ts'
import type { JobType } from './job-type.ts'

/** Every type of job, by the name under which it is stored. */
export const jobTypes: Readonly<Record<string, JobType>> = { import: runImport, undo: runUndo }

import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { takeFile } from '../../../src/jobs/change-job.ts'
import { createImport } from '../../../src/jobs/create-import.ts'
import { checkFile } from '../../../src/jobs/import/check-in-thread.ts'
import { listJobs, readResults } from '../../../src/jobs/job.ts'
import { storeFile } from '../../../src/jobs/store-file.ts'
import { openWorker } from '../../../src/jobs/worker.ts'
import type { Leases } from '../../../src/leases/leases.ts'
import type { RunStep } from '../../../src/leases/step.ts'
import { executeCall, stepsOf } from '../../../src/runtime/execute-call.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { newWorkspace, type TestRuntime, testRuntime } from '../../test-runtime.ts'

const NOTHING = { raw: {}, loose: true, issues: [] }

type Attributes = {
  state: string
  message: string | null
  undoable_until: string | null
  progress: Record<string, number>
}

/** A workspace on a database of its own, without a service: only the workers that a test opens run its jobs. */
export type WorkerWorld = {
  runtime: TestRuntime
  scope: Scope
  slug: string
  /** Errors that the log of a service would have. */
  failures: string[]
  /** An import with a file of these lines, of names if there is no other header. Waits for a worker. */
  queue(lines: readonly string[], options?: object & { header?: string }, by?: Scope): Promise<string>
  job(id: string): Promise<Attributes>
  ended(id: string): Promise<Attributes>
  results(id: string): Promise<{ row: number; outcome: string; message: string | null }[]>
  /** A worker like that of a process. `runStep` stands for the threads that carry out its steps. */
  /** Runs a step in this process. */
  runStep: RunStep
  work(runStep?: RunStep, hosted?: boolean): Leases
}

export async function workerWorld(): Promise<WorkerWorld> {
  const runtime = await testRuntime()
  const { slug } = await newWorkspace(runtime)
  return worldAt(runtime, slug)
}

/** The same for a workspace that is there. */
export async function worldAt(runtime: TestRuntime, slug: string): Promise<WorkerWorld> {
  const scope = await enterAsOperator(runtime, slug)
  const failures: string[] = []

  async function job(id: string): Promise<Attributes> {
    const { data } = await listJobs(scope, NOTHING)
    const found = data.find((one) => one.id === id)
    if (!found) throw new Error(`There is no job ${id}.`)
    // The form in which jobs are shown.
    return found.attributes as Attributes
  }

  const runStep = stepsOf(runtime, (call) => executeCall(runtime, call))
  return {
    runtime,
    scope,
    slug,
    failures,
    job,
    async queue(lines, { header = 'name', ...options } = {}, by = scope) {
      const { id } = await createImport(by, {
        type: 'import',
        resource: 'companies',
        format: 'csv',
        mode: 'create',
        ...options,
      })
      const check = { ...checkFile({ format: 'csv', delimiter: null, columns: [] }), drop() {} }
      const bytes = Readable.from([Buffer.from(`${[header, ...lines].join('\n')}\n`)])
      const file = await storeFile(runtime, { workspace_id: scope.workspace.id, bytes, check, max_mb: 1 })
      await takeFile(by, id, file)
      return id
    },
    async ended(id) {
      for (;;) {
        const found = await job(id)
        if (!['waiting', 'queued', 'running'].includes(found.state)) return found
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async results(id) {
      const { text } = await readResults(scope, { id, asked: NOTHING, after: 0 })
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    },
    runStep,
    work(step = runStep, hosted = false) {
      const onFailure = (error: unknown) => void failures.push(String(error))
      const worker = openWorker({ runtime, runStep: step, hosted, onFailure })
      onTestFinished(() => worker.stop())
      return worker
    },
  }
}

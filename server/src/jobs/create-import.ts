import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { newJob } from './new-job.ts'
import { parseImport } from './parse-import.ts'
import { type JobObject, presentJob } from './present-job.ts'

/** Creates an import, which waits for its file. */
export async function createImport(scope: Scope, body: unknown): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  const { dry_run, mapping, settings, ...wanted } = parseImport(body, await definitionsOf(scope))
  if (settings.create_options) requirePermission(scope, 'manage_fields')
  return inTransaction(scope, async (inside) => {
    const job = await newJob(inside, {
      ...{ type: 'import', state: 'waiting', ...wanted },
      dry_run: dry_run ? 1 : 0,
      mapping: mapping && JSON.stringify(mapping),
      settings: JSON.stringify(settings),
    })
    return presentJob(job)
  })
}

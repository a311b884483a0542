import { enterAsOperator } from '../accounts/workspace.ts'
import { reindexWorkspace } from '../records/reindex.ts'
import { loadWorkspaces } from '../storage/tables/workspaces.ts'
import { defineCommand } from './command.ts'
import { withDatabase } from './with-database.ts'

export const reindex = defineCommand({
  about: 'Rebuild the value index, the search texts and the counts from the records.',
  options: { workspace: { value: 'S', about: 'The slug of the workspace; all workspaces by default.' } },
  async run(values, context) {
    const done = await withDatabase(context, async (runtime) => {
      const all = values.workspace ? [{ slug: values.workspace }] : await loadWorkspaces(runtime.engine.db)
      const done: { workspace: string; records: number }[] = []
      for (const { slug } of all) {
        const records = await reindexWorkspace(await enterAsOperator(runtime, slug))
        done.push({ workspace: slug, records })
      }
      return done
    })
    const lines = done.map(({ workspace, records }) => `Indexed the records of ${workspace}: ${records}.`)
    return { text: lines.length === 0 ? 'There is no workspace yet.' : lines.join('\n'), json: done }
  },
})

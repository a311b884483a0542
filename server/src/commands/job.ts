import { defineCommand, type Group } from './command.ts'
import { answerOf, answerWithFailures, waitFor } from './import.ts'
import { remoteOptions, withClient } from './remote.ts'
import { printTable } from './table.ts'

const idOption = { value: 'ID', about: 'The ID of the job.', required: true, operand: true } as const

const list = defineCommand({
  about: 'List the jobs, latest first.',
  options: { ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const { data } = await client.jobs.list({ per_page: 100 })
      const rows = data.map(({ id, attributes: { type, resource, state, progress, name } }) => {
        return [id, type, resource, state, `${progress.done}/${progress.rows}`, String(progress.failed), name]
      })
      const columns = ['id', 'type', 'resource', 'state', 'rows', 'failed', 'name']
      return { text: rows.length === 0 ? 'No jobs.' : printTable(columns, rows), json: data }
    }),
})

const show = defineCommand({
  about: 'Show a job, with the first rows that failed.',
  options: { id: idOption, wait: { about: 'Wait until the job has ended.' }, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const { data } = await client.jobs.read(values.id)
      return values.wait ? waitFor(client, data, context) : answerWithFailures(client, data)
    }),
})

const cancel = defineCommand({
  about: 'Cancel a job. What it has written stays; undo takes it back.',
  options: { id: idOption, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => answerOf((await client.jobs.cancel(values.id)).data)),
})

const undo = defineCommand({
  about: 'Undo an import.',
  options: { id: idOption, wait: { about: 'Wait until the undo has ended.' }, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const { data } = await client.jobs.undo(values.id)
      return values.wait ? waitFor(client, data, context) : answerOf(data)
    }),
})

export const job: Group = { verbs: { list, show, cancel, undo } }

import {
  BATCH_BODY_MAX_BYTES,
  BODY_MAX_BYTES,
  QUERY_BODY_MAX_BYTES,
  RATE_ITEMS,
  RATE_READS,
  RATE_WORKSPACE,
  RATE_WRITES,
} from '@kith/contract/limits'
import type { Schema as Resources } from '@kith/contract/resource'
import type { Schema } from '@kith/contract/shape'
import { capital } from './schema.ts'

export const API_VERSION = '1.0.0'

const description = `
Companies, people, opportunities, tasks and notes of a workspace, for syncing with other systems and for building
integrations. Answers follow JSON:API.

**Authentication.** Every request carries an access token: \`Authorization: Bearer <ACCESS_TOKEN>\`. Tokens are made in
the application under Settings > Access Tokens. A token reaches one workspace and has one or more of the abilities
\`read\`, \`create\`, \`update\` and \`delete\`.

**Custom fields.** Each workspace defines fields of its own. \`GET /v1/custom-fields\` lists them; records carry their
values under \`custom_fields\`, by code.

**Writing.** What is absent is kept, \`null\` clears. What a read returns can be sent back as it is. A refused write has
stored nothing.

**Nothing unknown is ignored.** An unknown parameter, key, filter, operator or code is refused with 422, and the message
says what is accepted.

**Limits.** ${RATE_WORKSPACE} requests a minute for a workspace, ${RATE_READS} reads and ${RATE_WRITES} writes for a
token. Queries count as reads. The tokens of a workspace can write ${RATE_ITEMS.toLocaleString('en-US')} records a
minute: a batch counts as many as its operations. Bodies may have ${BODY_MAX_BYTES / 1024 / 1024} MiB, those of queries
${QUERY_BODY_MAX_BYTES / 1024} KB, and those of batches ${BATCH_BODY_MAX_BYTES / 1024 / 1024} MiB.

**Errors** are JSON: \`message\`, and \`errors\` by field where the request was not valid. An unknown path is 404; a
known path with another method is 405, and \`Allow\` names the methods there are.

**Versions.** The version is in the path. Breaking changes come under a new one, and the previous version keeps working
for at least six months after the new one is announced.
`.trim()

export const info: Schema = {
  title: 'Kith API',
  version: API_VERSION,
  summary: 'The records of a workspace, for other systems.',
  description,
  license: { name: 'MIT', identifier: 'MIT' },
}

const otherTags = {
  Batch: 'Many writes in one request.',
  Search: 'Records of all resources by their words.',
  Trash: 'Deleted records.',
  Merges: 'Records that became one, and how to undo that.',
  Changes: 'What happened in the workspace, for mirrors in other systems.',
  Comments: 'What members say about records.',
  Files: 'The files of records.',
  Jobs: 'Imports of files, which run in the background, and their undo.',
  Schema: 'What the records of the workspace have, name by name, and changes of its custom fields.',
  Webhooks: 'Endpoints that receive changes, and the log of their deliveries.',
  'Custom fields': 'The fields that the workspace has defined. Read only.',
  User: 'Who the access token belongs to.',
  Users: 'The members of the workspace.',
  Token: 'The access token itself.',
}

export function tagsOf(resources: Resources): Schema[] {
  return [
    ...[...resources.values()].map(({ type, about, row }) => ({ name: capital(type), description: about || row.name })),
    ...Object.entries(otherTags).map(([name, description]) => ({ name, description })),
  ]
}

/** The tag of an endpoint: the first word of its path. */
export function tagOf({ path }: { path: string }): string {
  return capital(path.split('/')[1]?.replace('-', ' ') ?? '')
}

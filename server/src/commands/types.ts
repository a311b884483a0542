import { defineCommand } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'
import { writeTypes } from './write-types.ts'

export const types = defineCommand({
  about: 'Write TypeScript types of the custom fields of a workspace, for the client.',
  options: remoteOptions,
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const { data: token } = await client.token()
      const { data: schemas } = await client.schema.list()
      const text = writeTypes(schemas, token.attributes.workspace.name)
      return { text, json: { version: schemas[0]?.attributes.version, types: text } }
    }),
})

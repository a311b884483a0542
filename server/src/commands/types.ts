import { defineCommand } from './command.ts'
import { clientFor, overHttp, remoteOptions } from './remote.ts'
import { writeTypes } from './write-types.ts'

export const types = defineCommand({
  about: 'Write TypeScript types of the custom fields of a workspace, for the client.',
  options: remoteOptions,
  async run(values, context) {
    return overHttp(async () => {
      const client = await clientFor(values, context)
      const { data: token } = await client.token()
      const { data: schemas } = await client.schema.list()
      const text = writeTypes(schemas, token.attributes.workspace.name)
      return { text, json: { version: schemas[0]?.attributes.version, types: text } }
    })
  },
})

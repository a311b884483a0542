import type { ValueKind } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import type { CustomFieldSchema, SchemaObject } from '@kith/contract/schema'
import { defineCommand } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'

const texts = () => 'string[]'

const kinds: Readonly<Record<ValueKind, (field: CustomFieldSchema) => string>> = {
  Text: () => 'string | null',
  LongText: () => 'string | null',
  Number: () => 'number | null',
  Date: () => 'Day | null',
  DateTime: () => 'Moment | null',
  Boolean: () => 'boolean | null',
  Choice: (field) => `${choice(field)} | null`,
  Choices: (field) => `${choice(field)}[]`,
  Tags: texts,
  Emails: texts,
  Phones: texts,
  Links: texts,
  Domains: texts,
  Reference: (field) => (field.multiple ? `${identifier(field)}[]` : `${identifier(field)} | null`),
}

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

/** A TypeScript file with the types of a workspace's custom fields, as the client takes them. */
function writeTypes(schemas: readonly SchemaObject[], workspace: string): string {
  const version = schemas[0]?.attributes.version ?? 0
  const body = schemas.map(({ id, attributes }) => `  ${id}: ${resourceType(attributes.custom_fields)}`).join('\n')
  const used = ['Choice', 'Day', 'Identifier', 'Moment'].filter((name) => new RegExp(`: ${name}\\b`).test(body))
  const imported = used.length === 0 ? '' : `import type { ${used.join(', ')} } from '@kith/sdk'\n\n`
  return (
    `// Made by \`kith types\` from the workspace ${commented(workspace)}, schema version ${version}.\n` +
    `// Make it again when the schema changes.\n\n${imported}` +
    `/** Pass it to the client: createClient<WorkspaceFields>({ url, token }). */\n` +
    `export type WorkspaceFields = {\n${body}\n}`
  )
}

function resourceType(fields: SchemaObject['attributes']['custom_fields']): string {
  const entries = Object.entries(fields)
  if (entries.length === 0) return 'Record<never, never>'
  const lines = entries.map(
    ([code, field]) => `    /** ${remark(field)} */\n    ${code}: ${kinds[fieldTypes[field.type].kind](field)}`,
  )
  return `{\n${lines.join('\n')}\n  }`
}

function remark({ name, type, required, unique }: CustomFieldSchema): string {
  const rules = [type, ...(required ? ['required'] : []), ...(unique ? ['unique'] : [])]
  return `${commented(name)} (${rules.join(', ')})`
}

/** Removes line ends and comment ends from a text. */
function commented(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]/g, ' ').replaceAll('*/', '* /')
}

function choice({ options }: CustomFieldSchema): string {
  if (options.length === 0) return 'Choice'
  return `Choice<${options.map(({ label }) => quoted(label)).join(' | ')}>`
}

function identifier(field: CustomFieldSchema): string {
  return `Identifier<${quoted(targetOf(field))}>`
}

function quoted(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inside.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}

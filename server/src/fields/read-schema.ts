import { reportUnknown } from '@kith/contract/answer-options'
import { boundedReport } from '@kith/contract/bounded-report'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { type SchemaObject, schemaFormats } from '@kith/contract/schema'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/tables/fields-version.ts'
import { readingFields, requireSameFields } from './definitions.ts'
import { describeSchema } from './describe-schema.ts'
import type { Described } from './json-schema.ts'

/** The schemas of resources, or what their JSON Schemas are made of, at one version of the definitions. */
type ReadSchemas = { version: number } & ({ schemas: SchemaObject[] } | { described: Described[] })

export async function readSchemas(scope: Scope, resources: readonly Resource[], asked: Asked): Promise<ReadSchemas> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = [...asked.issues]
  const report = reportInto(issues)
  reportUnknown(asked.raw, ['format'], boundedReport(report))
  const format = parseFormat(asked.raw.format, report)
  refuseIfAny(issues)
  return readingFields(scope, async (inside, definitions) => {
    const version = await loadFieldsVersion(inside.db, inside.workspace.id)
    requireSameFields(inside, version)
    const described = resources.map((resource) => ({ resource, fields: definitions[resource.type] }))
    if (format === 'json-schema') return { version, described }
    const schemas = described.map(({ resource, fields }): SchemaObject => {
      return { id: resource.type, type: 'schemas', attributes: describeSchema(resource, fields, version) }
    })
    return { version, schemas }
  })
}

function parseFormat(raw: unknown, report: Report): (typeof schemaFormats)[number] | undefined {
  if (isUnsent(raw)) return undefined
  const format = schemaFormats.find((one) => one === raw)
  if (format === undefined) report('format', `The format must be ${schemaFormats.join(' or ')}, or left out.`)
  return format
}

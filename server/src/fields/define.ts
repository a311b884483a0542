import { excerpt } from '@kith/contract/excerpt'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/changes.ts'
import type { Scope } from '../scope/scope.ts'
import {
  countDeletedOfCode,
  findFields,
  insertFields,
  type StoredField,
  shiftFields,
} from '../storage/tables/custom-fields.ts'
import { changeFields } from './change-fields.ts'
import { CODE_RULE, codeFor, isCode } from './code.ts'
import { blankDraft, countActive, draftKeys, parseDraft } from './draft.ts'
import { isFieldType, isSearched } from './field-types.ts'
import { parseSent, type Sent } from './sent.ts'

const keys = ['type', 'code', 'entity_type', ...draftKeys]

/** Creates a field of a resource. */
export function createField(scope: Scope, resource: ResourceName, input: unknown): Promise<StoredField> {
  return defineField(scope, resource, { input, issues: [] })
}

/** An input, and the problems that the rest of its request has. */
type Sending = { input: unknown; issues: readonly Issue[] }

/** The same, for a request with more than a body. */
export function defineField(scope: Scope, resource: ResourceName, sending: Sending): Promise<StoredField> {
  return changeFields(scope, 'create', async (inside) => {
    const others = await findFields(inside, resource)
    const field = await parseField(inside, resource, { ...sending, others })
    const at = momentAfter(inside, others)
    const shift = { from: field.position, to: countActive(others), by: 1, at } as const
    const moved = await shiftFields(inside, resource, shift)
    await insertFields(inside, [field])
    if (isSearched(field.type)) {
      await inside.engine.search.addFields(inside.db, inside.workspace.id, [field.id])
    }
    await auditField(inside, 'create', { field, moved })
    return field
  })
}

async function parseField(
  inside: Scope,
  resource: ResourceName,
  { input, issues: before, others }: Sending & { others: readonly StoredField[] },
) {
  const issues: Issue[] = [...before]
  const report = reportInto(issues)
  const at = inside.now()
  const sent = parseSent(input, { accepted: keys }, report)
  checkRoom(resource, { sent, others }, report)
  const code = parseCode(sent, others, report)
  const type = parseType(sent, report)
  if (!sent.has('name')) report('name', 'The name is required.')
  // Without a type only the name can be checked. Every type takes the same names, so check it as a text field.
  const judged = type ?? 'text'
  const known = type ? sent : new Map([...sent].filter(([key]) => key === 'name'))
  const draft = parseDraft(known, { before: blankDraft(judged, others), type: judged, others, at }, report)
  refuseIfAny(issues)
  if (!type) return refuse({ kind: 'invalid', issues })
  const own = code ?? codeFor(draft.name, new Set(others.map((field) => field.code)))
  const id = newId(at.getTime())
  const times = { created_at: at.toISOString(), updated_at: at.toISOString(), archived_at: null }
  const key = keyOf(own, await countDeletedOfCode(inside, resource, own))
  return { id, key, entity_type: resource, code: own, type, ...draft, system: false, ...times }
}

function checkRoom(
  resource: ResourceName,
  { sent, others }: { sent: Sent; others: readonly StoredField[] },
  report: Report,
): void {
  if (others.length >= FIELDS_PER_RESOURCE_MAX) {
    const message = `The ${resource} have ${FIELDS_PER_RESOURCE_MAX} custom fields already, archived ones among them, and cannot have more.`
    report('entity_type', message)
  }
  if (sent.has('entity_type') && sent.get('entity_type') !== resource) {
    report('entity_type', `The entity_type must be ${resource} here.`)
  }
}

/** Undefined if none was sent. */
function parseCode(sent: Sent, others: readonly StoredField[], report: Report): string | undefined {
  const raw = sent.get('code')
  if (raw === undefined || raw === null || raw === '') return undefined
  const code = typeof raw === 'string' ? raw.trim() : ''
  const holder = others.find((field) => field.code === code)
  if (!isCode(code)) report('code', `The code ${CODE_RULE}.`)
  else if (holder) {
    const state = holder.archived_at === null ? 'field' : 'archived field'
    report('code', `The code is taken by the ${state} "${holder.name}". Choose another one.`)
  }
  return code
}

function parseType(sent: Sent, report: Report): FieldTypeName | undefined {
  const raw = sent.get('type')
  if (isFieldType(raw)) return raw
  const close = typeof raw === 'string' ? suggestion(raw, fieldTypeNames) : ''
  const finding = typeof raw === 'string' ? ` "${excerpt(raw)}" is none of them.${close}` : ''
  report('type', `The type must be one of: ${fieldTypeNames.join(', ')}.${finding}`)
  return undefined
}

/**
 * Records may still hold values of deleted fields under their keys, so that a code that comes back gets a key of its
 * own.
 */
function keyOf(code: string, deleted: number): string {
  return deleted === 0 ? code : `${code}~${deleted + 1}`
}

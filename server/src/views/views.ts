import type { View } from '@kith/contract/app/views'
import { lengthOf } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { VIEW_NAME_MAX, VIEW_STATE_MAX_BYTES, VIEWS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { isDeep, isObject, NESTING_MAX, unstorable } from '@kith/contract/raw-input'
import { refuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { requirePermission } from '../scope/permissions.ts'
import { type Fields, parseResourceName, readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import {
  countViews,
  deleteView,
  findView,
  insertView,
  loadViews,
  replaceView,
  type ViewRow,
} from '../storage/tables/views.ts'

/** The actor's own views and the shared ones. */
export async function listViews(scope: Scope, input: unknown): Promise<View[]> {
  requirePermission(scope, 'read')
  const resource = readInput(input, (fields) => {
    const sent = fields.optionalText('resource')
    return sent === undefined ? undefined : parseResourceName(sent, fields.report)
  })
  return (await loadViews(scope, resource)).map(present)
}

/** A new view goes last. */
export function createView(scope: Scope, input: unknown): Promise<View> {
  requirePermission(scope, 'save_views')
  const wanted = readInput(input, (fields) => ({
    resource: parseResourceName(fields.text('resource'), fields.report),
    name: parseViewName(fields.text('name'), fields.report),
    shared: fields.flag('shared', false),
    state: parseViewState(fields.raw('state') ?? {}, fields.report),
  }))
  if (wanted.shared) requirePermission(scope, 'share_views')
  return inTransaction(scope, async (inside) => {
    await inside.engine.lock(inside.db, [`views ${inside.workspace.id}`])
    const { views, last } = await countViews(inside, wanted.resource)
    if (views >= VIEWS_PER_RESOURCE_MAX) {
      const message = `The ${wanted.resource} have ${VIEWS_PER_RESOURCE_MAX} views already, and cannot have more.`
      refuseValue('resource', message)
    }
    const at = inside.now()
    const id = newId(at.getTime())
    await insertView(inside, {
      ...wanted,
      id,
      workspace_id: inside.workspace.id,
      owner_id: inside.actor.user_id,
      shared: Number(wanted.shared),
      position: last + 1,
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    })
    return present(await requireView(inside, id))
  })
}

/** Changes the sent attributes and keeps the others. */
export function updateView(scope: Scope, id: string, input: unknown): Promise<View> {
  requirePermission(scope, 'save_views')
  return inTransaction(scope, async (inside) => {
    const view = await requireOwnView(inside, id)
    const changes = readInput(input, readChanges)
    const shared = changes.shared ?? view.shared === 1
    if (shared) requirePermission(inside, 'share_views')
    const updated_at = inside.now().toISOString()
    await replaceView(inside, { ...view, ...changes, shared: Number(shared), updated_at })
    return present(await requireView(inside, view.id))
  })
}

export function removeView(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'save_views')
  return inTransaction(scope, async (inside) => deleteView(inside, (await requireOwnView(inside, id)).id))
}

function readChanges(fields: Fields) {
  const name = fields.optionalText('name')
  const state = fields.raw('state')
  const position = fields.raw('position')
  if (position !== undefined && !isPosition(position)) {
    fields.report('position', 'The position must be a whole number from 1 to 10000.')
  }
  return {
    ...(name === undefined ? {} : { name: parseViewName(name, fields.report) }),
    ...(state === undefined ? {} : { state: parseViewState(state, fields.report) }),
    ...(isPosition(position) ? { position } : {}),
    shared: fields.raw('shared') === undefined ? undefined : fields.flag('shared', false),
  }
}

function isPosition(raw: unknown): raw is number {
  return typeof raw === 'number' && Number.isInteger(raw) && raw >= 1 && raw <= 10_000
}

/** A private view of another user is reported as not found, so that its existence stays hidden. */
async function requireView(scope: Scope, id: string): Promise<ViewRow> {
  const view = await findView(scope, parseId(id) ?? '')
  if (view && (view.shared === 1 || view.owner_id === scope.actor.user_id)) return view
  return refuseUnknownId('view', id)
}

/** Only its owner, and those who manage the workspace, can change a shared view. */
async function requireOwnView(inside: Scope, id: string): Promise<ViewRow> {
  const view = await requireView(inside, id)
  if (view.owner_id === inside.actor.user_id || roleMay(inside.actor.role, 'manage_workspace')) return view
  return refuse({
    kind: 'forbidden',
    message: 'Only its owner, or an owner or admin of the workspace, changes a shared view.',
  })
}

function present(row: ViewRow): View {
  const { id, resource, name, shared, owner_id, owner_name, state, position } = row
  return {
    id,
    // Checked before it was stored.
    resource: resource as ResourceName,
    name,
    shared: shared === 1,
    owner: owner_name === null ? null : { id: owner_id, name: owner_name },
    state: JSON.parse(state),
    position,
  }
}

function parseViewName(raw: string, report: Report): string {
  const name = raw.trim()
  if (name === '' || lengthOf(name) > VIEW_NAME_MAX) {
    report('name', `The name must have 1 to ${VIEW_NAME_MAX} characters.`)
  }
  return name
}

/** As text. Only its size and depth are checked: the content belongs to the application. */
function parseViewState(raw: unknown, report: Report): string {
  if (!isObject(raw)) {
    report('state', 'The state must be an object.')
    return '{}'
  }
  if (isDeep(raw)) {
    report('state', `The state must not be nested deeper than ${NESTING_MAX} levels.`)
    return '{}'
  }
  const text = JSON.stringify(raw)
  const problem = unstorable(text)
  if (problem !== undefined) report('state', `The state ${problem}.`)
  if (Buffer.byteLength(text) > VIEW_STATE_MAX_BYTES) {
    report('state', `The state must not be larger than ${VIEW_STATE_MAX_BYTES / 1024} KB.`)
  }
  return text
}

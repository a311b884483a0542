import { newView, type View, viewChanges } from '@kith/contract/app/views'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { VIEW_STATE_MAX_BYTES, VIEWS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { isDeep, isObject, NESTING_MAX, unstorable } from '@kith/contract/raw-input'
import { parseOrRefuse, refuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { readObject, readSent } from '@kith/contract/shape'
import { requirePermission } from '../scope/permissions.ts'
import { parseResource, readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countViews, findView, loadViews, type ViewRow, viewTable } from '../storage/tables/views.ts'

/** The actor's own views and the shared ones. */
export async function listViews(scope: Scope, input: unknown): Promise<View[]> {
  requirePermission(scope, 'read')
  const resource = readInput(input, (fields) => {
    const sent = fields.optionalText('resource')
    return sent === undefined ? undefined : parseResource(scope.schema, sent, fields.report).type
  })
  return (await loadViews(scope, resource)).map(present)
}

/** A new view goes last. */
export function createView(scope: Scope, input: unknown): Promise<View> {
  requirePermission(scope, 'save_views')
  const wanted = parseOrRefuse([], (report) => {
    const { state, ...view } = readObject(input, newView, report)
    const { type: resource } = parseResource(scope.schema, view.resource, report)
    return { ...view, resource, state: parseViewState(state, report) }
  })
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
    await viewTable.insert(inside, {
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
    const changes = parseOrRefuse([], (report) => {
      const { state, ...others } = readSent(input, viewChanges, report)
      return state === undefined ? others : { ...others, state: parseViewState(state, report) }
    })
    const { shared = view.shared === 1 } = changes
    if (shared) requirePermission(inside, 'share_views')
    const updated_at = inside.now().toISOString()
    await viewTable.update(inside, { id: view.id }, { ...changes, shared: Number(shared), updated_at })
    return present(await requireView(inside, view.id))
  })
}

export function removeView(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'save_views')
  return inTransaction(scope, async (inside) => {
    await viewTable.remove(inside, { id: (await requireOwnView(inside, id)).id })
  })
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
    resource,
    name,
    shared: shared === 1,
    owner: owner_name === null ? null : { id: owner_id, name: owner_name },
    state: JSON.parse(state),
    position,
  }
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

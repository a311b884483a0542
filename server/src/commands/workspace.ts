import { accessOf } from '../accounts/subscription.ts'
import {
  createWorkspace,
  listWorkspaces,
  pauseWorkspace,
  requireSecondFactor,
  resumeWorkspace,
  setComplimentary,
  type Workspace,
} from '../accounts/workspaces.ts'
import { defineCommand, type Ground, type Group } from './command.ts'
import { printTable } from './table.ts'
import { withDatabase } from './with-database.ts'

const which = { workspace: { value: 'S', about: 'The slug of the workspace.', required: true } } as const

const create = defineCommand({
  about: 'Make a workspace with the fields that every workspace has.',
  options: {
    name: { value: 'N', about: 'The name that members see.', required: true },
    owner: { value: 'E', about: 'The email address of the user who owns it.', required: true },
    slug: { value: 'S', about: 'Its short name in addresses. Made from the name unless given.' },
    unverified: { about: 'Accept an owner whose address is not verified.' },
  },
  async run(values, ground) {
    const made = await withDatabase(ground, (runtime) => createWorkspace(runtime, values))
    return { text: `Made the workspace ${made.slug} (${made.id}).`, json: shown(made, ground) }
  },
})

const list = defineCommand({
  about: 'List all workspaces.',
  options: {},
  async run(_, ground) {
    const all = (await withDatabase(ground, listWorkspaces)).map((workspace) => shown(workspace, ground))
    const rows = all.map((workspace) => [
      workspace.slug,
      workspace.name,
      workspace.id,
      workspace.access,
      workspace.created_at,
    ])
    return { text: printTable(['slug', 'name', 'id', 'access', 'created'], rows), json: all }
  },
})

const pause = defineCommand({
  about: 'Shut a workspace of a hosted installation until it is resumed.',
  options: which,
  async run(values, ground) {
    const paused = await withDatabase(ground, (runtime) => pauseWorkspace(runtime, values.workspace))
    if (!ground.config.HOSTED)
      ground.tell('HOSTED is not set here: only a hosted installation shuts paused workspaces.')
    return { text: `The workspace ${paused.slug} is paused.`, json: shown(paused, ground) }
  },
})

const resume = defineCommand({
  about: 'Open a paused workspace again.',
  options: which,
  async run(values, ground) {
    const resumed = await withDatabase(ground, (runtime) => resumeWorkspace(runtime, values.workspace))
    const { access } = shown(resumed, ground)
    if (access === 'paused') ground.tell('It stays shut until it has a subscription: its trial has ended.')
    return { text: `The workspace ${resumed.slug} is resumed.`, json: shown(resumed, ground) }
  },
})

const complimentary = defineCommand({
  about: 'Let a workspace of a hosted installation be used without a subscription.',
  options: { ...which, off: { about: 'Take that back.' } },
  async run(values, ground) {
    const changed = await withDatabase(ground, (runtime) => setComplimentary(runtime, values.workspace, !values.off))
    const state = changed.complimentary === 0 ? 'no longer complimentary' : 'complimentary'
    return { text: `The workspace ${changed.slug} is ${state}.`, json: shown(changed, ground) }
  },
})

const secondFactor = defineCommand({
  about: 'Require a second factor of all members of a workspace, or stop requiring it.',
  options: { ...which, off: { about: 'Stop requiring it: for owners who are locked out.' } },
  async run(values, ground) {
    const changed = await withDatabase(ground, (runtime) => requireSecondFactor(runtime, values.workspace, !values.off))
    const state = changed.require_second_factor === 0 ? 'does not require' : 'requires'
    return { text: `The workspace ${changed.slug} ${state} a second factor.`, json: shown(changed, ground) }
  },
})

export const workspace: Group = {
  verbs: { create, list, pause, resume, complimentary, 'second-factor': secondFactor },
}

function shown(workspace: Workspace, ground: Ground) {
  const { id, slug, name, trial_ends_at, subscription_status, paused_at, created_at } = workspace
  const access = accessOf(workspace, ground.now(), ground.config.HOSTED)
  const complimentary = workspace.complimentary !== 0
  const requires_second_factor = workspace.require_second_factor !== 0
  const state = { trial_ends_at, subscription_status, complimentary, paused_at, requires_second_factor }
  return { id, slug, name, access, ...state, created_at }
}

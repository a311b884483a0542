/**
 * Keeps the companies and people of two Kith workspaces equal, in both directions. They can be in one installation or
 * in two.
 *
 *   LEFT_URL=http://localhost:3000 LEFT_TOKEN=kith_… RIGHT_URL=… RIGHT_TOKEN=kith_… node sync.ts STATE_FILE
 *
 * One run sends what has changed on the left to the right, then what has changed on the right to the left: only the
 * attributes that have changed, so that changes of others stay. If both have changed the same attribute, the left wins.
 * Without the state file, the left wins where both differ. Each record has the id of its counterpart as the external
 * id `peer`. Custom fields and options that one side lacks are created, so that both tokens must belong to an owner or
 * admin. What one side deletes goes to the trash of the other.
 *
 * Use tokens that do nothing else: what a token has written does not come back to it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import {
  type ChangeEntry,
  type Client,
  type CreateFieldInput,
  createClient,
  type FieldTypes,
  KithError,
  type SyncRecord,
} from '@kith/sdk'

const PEER = 'peer'
const RESOURCES = ['companies', 'people'] as const
type Resource = (typeof RESOURCES)[number]
type Side = 'left' | 'right'
type State = Partial<Record<Side, string>>
type Synced = SyncRecord<FieldTypes, Resource>
type Value = Synced['attributes']['custom_fields'][string]

/** Runs once. The state is changed after each page, so that a run that was stopped continues. */
export async function sync(sides: Record<Side, Client>, state: State, save: () => void): Promise<void> {
  /** When records of the left were last changed: read before the changes of the left, so that no later one is lost. */
  const versions = new Map<string, string>()
  for (let isDone = false; !isDone; ) {
    isDone = true
    for (const [from, to] of [['left', 'right'] as const, ['right', 'left'] as const]) {
      await alignFields(sides[from], sides[to])
      await sides[from].mirror({
        resources: RESOURCES,
        cursor: state[from],
        excludeOwn: true,
        once: true,
        async put(record, entry) {
          const sent = await send(record as Synced, entry, {
            ...{ from: sides[from], to: sides[to] },
            versions: to === 'left' ? versions : undefined,
          })
          // The next round sends the changes of the left first, and then these again.
          if (!sent) isDone = false
        },
        remove: ({ type, id }, entry) =>
          remove(sides[to], type as Resource, entry?.attributes.external_ids[PEER]?.[0] ?? id),
        save(cursor) {
          if (!isDone) return
          state[from] = cursor
          save()
        },
      })
    }
  }
}

/** Creates the fields and options that the other side lacks. */
async function alignFields(from: Client, to: Client): Promise<void> {
  for (const resource of RESOURCES) {
    const wanted = (await from.schema.read(resource)).data.attributes.custom_fields
    const present = (await to.schema.read(resource)).data.attributes.custom_fields
    for (const [code, { name, type, multiple, settings, options }] of Object.entries(wanted)) {
      const there = present[code]
      if (!there) {
        const input: CreateFieldInput = {
          code,
          name,
          type,
          multiple,
          settings,
          options: options.map(({ label }) => label),
        }
        await to.schema.createField(resource, input)
      } else {
        const labels = new Set(there.options.map(({ label }) => label.toLowerCase()))
        const missing = options.filter(({ label }) => !labels.has(label.toLowerCase()))
        for (const { label, color } of missing) await to.schema.addOption({ resource, code }, { label, color })
      }
    }
  }
}

type Way = { from: Client; to: Client; versions: Map<string, string> | undefined }

/** Writes what has changed of a record to the other side. Returns false if that must wait for the next round. */
async function send(record: Synced, entry: ChangeEntry, { from, to, versions }: Way): Promise<boolean> {
  const [peer] = record.attributes.external_ids[PEER] ?? []
  // All resources take these calls in the same form.
  const [here, there] = [from[record.type], to[record.type]] as [Client['people'], Client['people']]
  if (peer === undefined) {
    // A run that was stopped after the creation finds the record again.
    const filter = { external_ids: { [PEER]: { $has_any: [record.id] } } }
    const [found] = (await there.list({ filter })).data
    const input = { ...inputOf(record), external_ids: { [PEER]: record.id } }
    const { id } = found ?? (await there.create(input)).data
    await unlessGone(async () => void (await here.update(record.id, { external_ids: { [PEER]: id } })))
    return true
  }
  const { kind, changed } = entry.attributes
  // It was sent as a whole when its counterpart was created. What came later has entries of its own.
  if (kind === 'created') return true
  const whole = inputOf(record)
  const input = kind === 'updated' ? partOf(whole, changed) : whole
  const version = versions?.get(peer)
  if (versions && version === undefined) return readVersion(there, peer, versions)
  try {
    const { data } = await there.update(peer, input, version === undefined ? {} : { ifMatch: version })
    versions?.set(peer, data.attributes.updated_at)
    return true
  } catch (error) {
    if (error instanceof KithError && error.kind === 'not_found') return true
    if (!(error instanceof KithError) || error.kind !== 'precondition_failed' || !versions) throw error
    return readVersion(there, peer, versions)
  }
}

async function readVersion(there: Client['people'], id: string, versions: Map<string, string>): Promise<boolean> {
  versions.delete(id)
  await unlessGone(async () => void versions.set(id, (await there.read(id)).data.attributes.updated_at))
  // One that is gone needs no other round.
  return !versions.has(id)
}

/** What is written on the other side. Choices go by label, and the company of a person by its external id. */
function inputOf({ attributes }: Synced) {
  const { name, custom_fields } = attributes
  const company_id = 'company_id' in attributes ? attributes.company_id : undefined
  return {
    name,
    custom_fields: Object.fromEntries(Object.entries(custom_fields).map(([code, value]) => [code, labelled(value)])),
    ...(company_id === undefined
      ? {}
      : { company_id: company_id && { match: { field: `external_ids.${PEER}`, value: company_id } } }),
  }
}

/** Only the named attributes. */
function partOf({ custom_fields, ...others }: ReturnType<typeof inputOf>, changed: readonly string[]) {
  const only = <T extends object>(values: T, prefix: string) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => changed.includes(prefix + name)))
  return { ...only(others, ''), custom_fields: only(custom_fields, 'custom_fields.') }
}

/** Options by their labels. Records have other ids in the other workspace, so that references are left out. */
function labelled(value: Value): string | number | boolean | string[] | null {
  if (typeof value !== 'object' || value === null) return value
  if ('label' in value) return value.label
  if (!Array.isArray(value)) return null
  return value.flatMap((one) => (typeof one === 'string' ? [one] : 'label' in one ? [one.label] : []))
}

async function remove(to: Client, resource: Resource, id: string): Promise<void> {
  await unlessGone(() => to[resource].delete(id))
}

/** What was deleted or merged on the other side meanwhile comes back as its change. */
async function unlessGone(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof KithError) || error.kind !== 'not_found') throw error
  }
}

if (import.meta.main) {
  process.on('uncaughtException', ({ message }) => {
    console.error(message)
    process.exit(1)
  })
  const { LEFT_URL = '', LEFT_TOKEN = '', RIGHT_URL = LEFT_URL, RIGHT_TOKEN = '' } = process.env
  if (!LEFT_TOKEN || !RIGHT_TOKEN) throw new Error('LEFT_TOKEN or RIGHT_TOKEN is missing: an access token each.')
  const [file = 'sync-state.json'] = process.argv.slice(2)
  const state: State = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const left = createClient({ url: LEFT_URL, token: LEFT_TOKEN })
  const right = createClient({ url: RIGHT_URL, token: RIGHT_TOKEN })
  await sync({ left, right }, state, () => writeFileSync(file, JSON.stringify(state)))
}

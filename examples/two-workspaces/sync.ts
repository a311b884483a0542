/**
 * Keeps the companies and people of two Kith workspaces equal, in both directions. They can be in one installation or
 * in two.
 *
 *   LEFT_URL=http://localhost:3000/api LEFT_TOKEN=kith_… RIGHT_URL=… RIGHT_TOKEN=kith_… node sync.ts STATE_FILE
 *
 * One run sends what has changed on the left to the right, then what has changed on the right to the left. If both have
 * changed a record, the left wins. Each record has the id of its counterpart as the external id `peer`. Custom fields
 * and options that one side lacks are created, so that both tokens must belong to an owner or admin.
 *
 * Use tokens that do nothing else: what a token has written does not come back to it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import {
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
  for (const [from, to] of [['left', 'right'] as const, ['right', 'left'] as const]) {
    await alignFields(sides[from], sides[to])
    await sides[from].mirror({
      resources: RESOURCES,
      cursor: state[from],
      excludeOwn: true,
      once: true,
      put: (record) => send(record as Synced, sides[from], sides[to]),
      remove: ({ type, id }, entry) =>
        remove(sides[to], type as Resource, entry?.attributes.external_ids[PEER]?.[0] ?? id),
      save(cursor) {
        state[from] = cursor
        save()
      },
    })
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

/** Writes a record of one side to the other. */
async function send(record: Synced, from: Client, to: Client): Promise<void> {
  const [peer] = record.attributes.external_ids[PEER] ?? []
  const input = inputOf(record)
  // All resources take these calls in the same form.
  const [here, there] = [from[record.type], to[record.type]] as [Client['people'], Client['people']]
  if (peer !== undefined) return unlessGone(async () => void (await there.update(peer, input)))
  // Matched by the id on this side: a run that was stopped after it finds the record again.
  const { data } = await there.upsert({ match: { field: `external_ids.${PEER}`, value: record.id }, ...input })
  await unlessGone(async () => void (await here.update(record.id, { external_ids: { [PEER]: data.id } })))
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

function labelled(value: Value): string | number | boolean | string[] | null {
  if (typeof value !== 'object' || value === null) return value
  if ('label' in value) return value.label
  return value.map((one) => (typeof one === 'string' ? one : one.label))
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
  const { LEFT_URL = '', LEFT_TOKEN = '', RIGHT_URL = LEFT_URL, RIGHT_TOKEN = '' } = process.env
  const [file = 'sync-state.json'] = process.argv.slice(2)
  const state: State = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const left = createClient({ url: LEFT_URL, token: LEFT_TOKEN })
  const right = createClient({ url: RIGHT_URL, token: RIGHT_TOKEN })
  await sync({ left, right }, state, () => writeFileSync(file, JSON.stringify(state)))
}

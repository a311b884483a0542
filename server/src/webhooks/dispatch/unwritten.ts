import type { DeliveryRow, DeliveryUpdate } from '../../storage/tables/deliveries.ts'
import type { BlockedRow } from '../../storage/tables/webhooks.ts'
import type { Progress } from './flush.ts'

type Log = Progress['log']

/** What has happened to an endpoint and is not stored yet. */
export type Unwritten = {
  add(delivery: DeliveryRow): void
  update(update: DeliveryUpdate): void
  delay(delay: Log['delays'][number]): void
  /** The row of a record has changed. */
  touch(key: Pick<BlockedRow, 'resource' | 'record_id'>): void
  /** Something else has changed. */
  mark(): void
  isEmpty(): boolean
  /** About how much memory the log takes. */
  bytes(): number
  /** Takes everything. It is kept until `stored` or `putBack`. */
  take(): { keys: Pick<BlockedRow, 'resource' | 'record_id'>[]; log: Log }
  stored(): void
  /** Only the log is stored. */
  logged(): void
  putBack(): void
}

type Content = {
  deliveries: DeliveryRow[]
  updates: DeliveryUpdate[]
  delays: Log['delays'][number][]
  keys: Map<string, Pick<BlockedRow, 'resource' | 'record_id'>>
  marked: boolean
  again: boolean
  bytes: number
}

const empty = (): Content => ({
  deliveries: [],
  updates: [],
  delays: [],
  keys: new Map(),
  marked: false,
  again: false,
  bytes: 0,
})

export function newUnwritten(): Unwritten {
  let content = empty()
  let taken: Content | undefined

  return {
    add(delivery) {
      content.deliveries.push(delivery)
      content.bytes += delivery.attempts.length
    },
    update(update) {
      content.updates.push(update)
      content.bytes += update.attempt.length
    },
    delay: (delay) => void content.delays.push(delay),
    touch: ({ resource, record_id }) => void content.keys.set(`${resource} ${record_id}`, { resource, record_id }),
    mark() {
      content.marked = true
    },
    isEmpty: () => {
      const { deliveries, updates, delays, keys, marked } = content
      return deliveries.length + updates.length + delays.length + keys.size === 0 && !marked
    },
    bytes: () => content.bytes + (taken?.bytes ?? 0),
    take() {
      const { deliveries, updates, delays, keys } = content
      taken = content
      content = empty()
      return { keys: [...keys.values()], log: { deliveries, updates, delays, again: taken.again } }
    },
    stored() {
      taken = undefined
    },
    logged() {
      content.keys = new Map([...(taken?.keys ?? []), ...content.keys])
      content.marked = true
      taken = undefined
    },
    putBack() {
      if (!taken) return
      content = {
        deliveries: [...taken.deliveries, ...content.deliveries],
        updates: [...taken.updates, ...content.updates],
        delays: [...taken.delays, ...content.delays],
        keys: new Map([...taken.keys, ...content.keys]),
        marked: true,
        again: true,
        bytes: taken.bytes + content.bytes,
      }
      taken = undefined
    },
  }
}

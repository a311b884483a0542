import { randomUUID } from 'node:crypto'
import { EXPORTS_PER_TOKEN, EXPORTS_PER_WORKSPACE } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { freePlace, keepPlaces, type Place, type PlaceLimits, takePlace } from '../storage/tables/places.ts'

/** Counts responses that stay open, in all nodes of the installation. */
export type PlaceStore = {
  /** Takes a place and returns a function that frees it, or returns which limit is reached. */
  take(place: Omit<Place, 'id'>, limits: PlaceLimits): Promise<'token' | 'workspace' | (() => void)>
}

/** For a single process. */
export function placesInMemory(): PlaceStore {
  const taken = new Set<Omit<Place, 'id'>>()
  return {
    async take(place, { per_token, per_workspace }) {
      const inWorkspace = [...taken].filter(({ key }) => key === place.key)
      if (inWorkspace.filter(({ holder }) => holder === place.holder).length >= per_token) return 'token'
      if (inWorkspace.length >= per_workspace) return 'workspace'
      const own = { ...place }
      taken.add(own)
      return () => void taken.delete(own)
    },
  }
}

/** The places of a node that was killed are free after this time. */
const LEASE_MS = 30_000

const KEEP_MS = 10_000

/** For several processes on one database. An open response costs two statements: at its start and at its end. */
export function placesInDatabase(engine: Engine, onFailure: (error: unknown) => void): PlaceStore {
  const held = new Map<string, Place>()
  let keeping: NodeJS.Timeout | undefined

  function keep(): void {
    keepPlaces(engine, [...held.values()], LEASE_MS).catch(onFailure)
  }

  return {
    async take(place, limits) {
      const own = { ...place, id: randomUUID() }
      const refused = await takePlace(engine, own, { ...limits, ms: LEASE_MS })
      if (refused) return refused
      held.set(own.id, own)
      keeping ??= setInterval(keep, KEEP_MS).unref()
      return () => {
        if (!held.delete(own.id)) return
        if (held.size === 0) {
          clearInterval(keeping)
          keeping = undefined
        }
        freePlace(engine, own.id).catch(onFailure)
      }
    },
  }
}

const RETRY_AFTER_SECONDS = 5

/** Limits how many responses of one kind are open at a time. */
export type Places = {
  /** Takes a place, or refuses. Returns a function that frees it. */
  enter(facts: ScopeFacts): Promise<() => void>
}

export function openPlaces(
  store: PlaceStore,
  {
    kind,
    message,
    ...limits
  }: {
    kind: string
    per_token: number
    per_workspace: number
    /** The message for a holder with too many places. */
    message(holder: string, most: number): string
  },
): Places {
  return {
    async enter({ workspace, actor }) {
      const place = { key: `${kind} ${workspace.id}`, holder: actor.token_id ?? actor.user_id }
      const taken = await store.take(place, limits)
      if (typeof taken === 'function') return taken
      const problem =
        taken === 'token' ? message('this token', limits.per_token) : message('the workspace', limits.per_workspace)
      return refuse({ kind: 'rate_limited', message: problem, retry_after: RETRY_AFTER_SECONDS })
    },
  }
}

export function openExports(store: PlaceStore): Places {
  return openPlaces(store, {
    kind: 'exports',
    per_token: EXPORTS_PER_TOKEN,
    per_workspace: EXPORTS_PER_WORKSPACE,
    message: (holder, most) =>
      `Too many exports of ${holder} are running: at most ${most} at once are allowed. Wait until one of them ends.`,
  })
}

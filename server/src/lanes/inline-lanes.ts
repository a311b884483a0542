import type { House } from '../scope.ts'
import { carryOut } from './carry-out.ts'
import type { Lanes } from './lanes.ts'

/** PostgreSQL is a server of its own: waiting for it holds up nobody, so calls run where they came in. */
export function openInlineLanes(house: House): Lanes {
  return {
    start() {},
    queues: () => [],
    shed: new Map(),
    perform: (call) => carryOut(house, call),
    close: () => house.engine.close(),
  }
}

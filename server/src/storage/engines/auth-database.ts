import type { Engine } from './engine.ts'

/** The database in the form that better-auth takes. Its statements run one by one. */
export function authDatabase({ single, dialect }: Engine) {
  return { db: single.query, type: dialect, transaction: false }
}

import type { Db } from './engine.ts'
import type { Session } from './session.ts'

export function handleOver(session: Session, besides: Omit<Db, 'session'> = {}): Db {
  return { ...besides, session }
}

import { DISK_FULL, StorageTrouble } from '../../../scope/storage-trouble.ts'
import type { Session } from '../session.ts'

const NO_SPACE = '53100'

/** Turns the server's error about a full disk into a StorageTrouble. */
export async function tellingTrouble<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== NO_SPACE) throw error
    throw new StorageTrouble('full', DISK_FULL, { cause: error })
  }
}

export function sessionTelling(session: Session): Session {
  return { ...session, run: (text, parameters) => tellingTrouble(() => session.run(text, parameters)) }
}

/** A file that the service has not stored yet. It stays in the browser until it is stored or discarded. */
export type Upload = {
  /** Also its Idempotency-Key. Ids ascend, so they are the order of the queue. */
  id: string
  user: string
  slug: string
  /** The record that it is added to. */
  owner: { type: string; id: string; name: string }
  /** The text that gets a link to it: that of a field of the record, or of the new note about it. */
  into?: 'note' | { code: string; label: string }
  name: string
  body: Blob
  /** `waiting` to be sent; `refused` waits for the user. */
  state: 'waiting' | 'refused'
  problem?: string
}

/** The uploads of one user, in this tab and in what all tabs of the browser share. */
export type UploadStore = ReturnType<typeof createUploadStore>

/** Where uploads outlive the tab. A browser may refuse it; then they are in memory only. */
type Shelf = {
  readAll(): Promise<Upload[]>
  put(upload: Upload): Promise<void>
  remove(id: string): Promise<void>
}

const LONGEST_MS = 30 * 86_400_000

export function createUploadStore(shelf: Shelf, tellOthers: () => void) {
  let user: string | undefined
  let uploads: readonly Upload[] = []
  const unstored = new Set<string>()
  const listeners = new Set<() => void>()

  function show(next: readonly Upload[]): void {
    uploads = next.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    for (const listener of [...listeners]) listener()
  }

  /** Reads what other tabs have put there. */
  async function read(): Promise<void> {
    const stored = (await shelf.readAll().catch(() => [])).filter((one) => one.user === user)
    show([...stored, ...uploads.filter(({ id }) => unstored.has(id))])
  }

  async function put(upload: Upload): Promise<void> {
    show([...uploads.filter(({ id }) => id !== upload.id), upload])
    try {
      await shelf.put(upload)
      unstored.delete(upload.id)
    } catch {
      unstored.add(upload.id)
    }
    tellOthers()
  }

  async function remove(id: string): Promise<void> {
    show(uploads.filter((one) => one.id !== id))
    unstored.delete(id)
    await shelf.remove(id).catch(() => {})
    tellOthers()
  }

  return {
    /** Opens the uploads of the signed-in user. No other user sees them. */
    async open(id: string, oldest: (before: number) => string): Promise<void> {
      if (user === id) return
      user = id
      await read()
      for (const one of uploads) if (one.id < oldest(Date.now() - LONGEST_MS)) await remove(one.id)
    },
    user: () => user,
    read,
    put,
    remove,
    all: () => uploads,
    at: (id: string) => uploads.find((one) => one.id === id),
    /** Whether some would be lost with this tab. */
    hasUnstored: () => unstored.size > 0,
    listen(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const STORE = 'uploads'

/** A database of the browser, which has room for files. */
export function browserShelf(): Shelf {
  let opened: Promise<IDBDatabase> | undefined
  const open = () => {
    opened ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('kith', 1)
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' })
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    return opened
  }
  const run = async <T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const transaction = (await open()).transaction(STORE, mode)
    const request = work(transaction.objectStore(STORE))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }
  return {
    // Only `put` writes there.
    readAll: () => run('readonly', (store) => store.getAll() as IDBRequest<Upload[]>),
    put: async (upload) => void (await run('readwrite', (store) => store.put(upload))),
    remove: async (id) => void (await run('readwrite', (store) => store.delete(id))),
  }
}

import type { FileAnswers, FileReply, FileTask } from './file-worker.ts'
import type { RewritePlan } from './rewrite.ts'
import type { FileScan } from './scan.ts'

/** A file that is open in a worker. */
export type OpenFile = {
  name: string
  size: number
  sheets: readonly string[]
  scan(sheet: number): Promise<FileScan>
  /** The file as the import takes it. */
  rewrite(sheet: number, wanted: RewritePlan): Promise<Blob>
  close(): void
}

const TOO_LARGE = 'The file could not be read. It may be too large for this browser.'
const NOT_LOADED = 'The service could not be reached. Choose the file again when it is back.'

/** Opens a CSV or XLSX file. `onProgress` gets the share of it that is read. */
export async function openFile(file: File, onProgress: (share: number) => void): Promise<OpenFile> {
  const worker = new Worker(new URL('./file-worker.ts', import.meta.url), { type: 'module' })
  // One task at a time: the worker reads one file.
  let last: Promise<unknown> = Promise.resolve()

  function ask<K extends FileTask['kind']>(task: FileTask & { kind: K }): Promise<FileAnswers[K]> {
    const answer = last.then(() => send<FileAnswers[K]>(task))
    last = answer.catch(() => {})
    return answer
  }

  function send<Answer>(task: FileTask): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    worker.onmessage = ({ data }: MessageEvent<FileReply>) => {
      if ('progress' in data) onProgress(data.progress)
      else if ('problem' in data) reject(new Error(data.problem))
      // The kind of the task determines its answer.
      else resolve(data.answer as Answer)
    }
    // A worker that could not be loaded has no message.
    worker.onerror = (event) => reject(new Error(event instanceof ErrorEvent ? TOO_LARGE : NOT_LOADED))
    worker.postMessage(task)
    return promise
  }

  try {
    const { sheets } = await ask({ kind: 'open', file })
    return {
      name: file.name,
      size: file.size,
      sheets,
      scan: (sheet) => ask({ kind: 'scan', sheet }),
      rewrite: (sheet, wanted) => ask({ kind: 'rewrite', sheet, wanted }),
      close: () => worker.terminate(),
    }
  } catch (error) {
    worker.terminate()
    throw error
  }
}

import type { IncomingMessage } from 'node:http'

const BYTES_MAX = 64 * 1024 * 1024
const MS_MAX = 5000

/**
 * Reads and discards the rest of a body, up to a limit. Many clients read the answer only after they have sent
 * everything; if the connection closes earlier, they report a broken connection instead.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve()
    let bytes = 0
    const timer = setTimeout(stop, MS_MAX)
    function stop(): void {
      clearTimeout(timer)
      request.off('data', count)
      resolve()
    }
    function count(chunk: Buffer): void {
      bytes += chunk.length
      if (bytes > BYTES_MAX) stop()
    }
    request.on('data', count).once('end', stop).once('close', stop)
    request.resume()
  })
}

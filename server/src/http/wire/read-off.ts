import type { IncomingMessage } from 'node:http'

const BYTES_MAX = 64 * 1024 * 1024
const MS_MAX = 5000

/**
 * Takes the rest of a body off the wire, within reason: many clients look for the answer only when they have sent
 * everything, and whoever is hung up on before that sees a broken connection instead.
 */
export function readOff(request: IncomingMessage): Promise<void> {
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

import { isAscii, isUtf8 } from 'node:buffer'
import { refuseValue } from '@kith/contract/refusal'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const ACCEPTED = 'UTF-8, UTF-16 and Windows-1252 are accepted.'

/** UTF-16 shows in the first bytes: by its byte order mark, or by the zeros in every other byte of Latin text. */
export function utf16In(first: Buffer): Encoding | undefined {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le'
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be'
  const start = first.subarray(0, 64)
  const zeros = [0, 0]
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  if (odd > start.length / 4 && even === 0) return 'utf-16le'
  if (even > start.length / 4 && odd === 0) return 'utf-16be'
  return undefined
}

/** Finds out, byte by byte, whether a file is UTF-8 or Windows-1252. */
type Detector = { write(bytes: Buffer): void; end(): Encoding }

export function detectEncoding(): Detector {
  let tail: Buffer = Buffer.alloc(0)
  let hasUtf8 = false
  let isLatin = false

  function write(bytes: Buffer): void {
    if (bytes.includes(0)) refuseFile(`The file has zero bytes, so it is no text. ${ACCEPTED}`)
    if (isLatin) checkLatin(bytes)
    if (isLatin || (tail.length === 0 && isAscii(bytes))) return
    const whole = Buffer.concat([tail, bytes])
    const end = whole.length - unfinished(whole)
    const complete = whole.subarray(0, end)
    tail = whole.subarray(end)
    if (isUtf8(complete)) hasUtf8 ||= !isAscii(complete)
    else beLatin(whole)
  }

  /** Broken UTF-8 must not be read as other letters. Windows-1252 has hardly any valid UTF-8 in it. */
  function beLatin(bytes: Buffer): void {
    const letters = [...bytes.toString('utf8')].filter((letter) => letter > '\x7f')
    const broken = letters.filter((letter) => letter === '\uFFFD').length
    if (hasUtf8 || broken * 2 < letters.length) {
      refuseFile('The file is UTF-8 with broken characters in it. Save it as UTF-8 and send it again.')
    }
    isLatin = true
    tail = Buffer.alloc(0)
    checkLatin(bytes)
  }

  return {
    write,
    end() {
      if (isLatin) return 'windows-1252'
      if (tail.length === 0) return 'utf-8'
      if (hasUtf8) refuseFile('The file ends in the middle of a character. It was cut off: send the whole file.')
      checkLatin(tail)
      return 'windows-1252'
    },
  }
}

/** How many bytes at the end begin a character that is not complete. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    // No character begins with a byte above these.
    if (byte >= 0xc0) return byte < 0xf8 && lengthOf(byte) > back ? back : 0
  }
  return 0
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}

const UNDEFINED = [0x81, 0x8d, 0x8f, 0x90, 0x9d]

function checkLatin(bytes: Buffer): void {
  if (UNDEFINED.some((byte) => bytes.includes(byte))) {
    refuseFile(`The file is neither UTF-8 nor Windows-1252. ${ACCEPTED}`)
  }
}

export function refuseFile(message: string): never {
  return refuseValue('file', message)
}

/** What was found out about a file when it was sent. */
export type FileFacts = {
  encoding: Encoding
  delimiter: string
  rows: number
  /** The header of CSV. */
  columns: string[]
}

import { isObject } from '@kith/contract/raw-input'
import { cutText, estimateTokens, TOKENS_MAX } from './tokens.ts'

/** A text that was cut. `record` is its resource and ID, where it belongs to a record. */
type TruncatedText = { record?: string; field: string; shown: number; length: number }

type Structured = Readonly<Record<string, unknown>>

/** The longest texts of an answer, in characters: the first with which it is short enough for a model. */
const LENGTHS = [60_000, 20_000, 5000, 1000, 200]

const HOW = 'get_record with text_field and text_offset returns the rest of a text.'

/** The answer as JSON. Texts are cut where it would be too long for a model, and it says which. */
export function boundedAnswer(structured: Structured): string {
  let text = JSON.stringify(structured)
  for (const length of LENGTHS) {
    if (estimateTokens(text) <= TOKENS_MAX) return text
    const cut: TruncatedText[] = []
    const shorter = withShortTexts(structured, { length, field: '', cut })
    if (cut.length > 0) text = JSON.stringify({ ...(shorter as Structured), truncated_texts: cut, rest: HOW })
  }
  return text
}

type Place = { length: number; record?: string; field: string; cut: TruncatedText[] }

function withShortTexts(value: unknown, place: Place): unknown {
  const { length, field, cut, record } = place
  if (typeof value === 'string') {
    if (value.length <= length) return value
    const shown = cutText(value, 0, length)
    cut.push({ ...(record === undefined ? {} : { record }), field, shown: shown.length, length: value.length })
    return shown
  }
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, place))
  if (!isObject(value)) return value
  const own = placeIn(value, place)
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    withShortTexts(item, { ...own, field: below(own, key) }),
  ])
  return Object.fromEntries(entries)
}

/** A record names its attributes as arguments do. */
function placeIn({ type, id, attributes }: Readonly<Record<string, unknown>>, place: Place): Place {
  if (typeof type !== 'string' || typeof id !== 'string' || !isObject(attributes)) return place
  return { ...place, record: `${type}/${id}`, field: '' }
}

function below({ field, record }: Place, key: string): string {
  if (record !== undefined && field === '' && key === 'attributes') return ''
  return field === '' ? key : `${field}.${key}`
}

import type { FieldSettings } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type'
import type { Report } from '@kith/contract/issue'
import { TEXT_MAX_DEFAULT, TEXT_MAX_LIMIT } from '@kith/contract/limits'
import { parseWhole } from './attributes.ts'
import { parseSent, type Sent, taken } from './sent.ts'

const CURRENCY_DEFAULT = 'USD'
const DECIMALS_DEFAULT = 2

/** Reads `settings`: absent keys keep what was set, null sets back to what is usual. */
export function parseSettings(sent: Sent, type: FieldTypeName, before: FieldSettings, report: Report): FieldSettings {
  const raw = sent.get('settings')
  if (raw === undefined) return before
  if (raw === null) return usualSettings(type)
  const given = parseSent(raw, Object.keys(usualSettings(type)), report, 'settings')
  if (type === 'currency') {
    return {
      currency: taken(given, 'currency', before.currency, (value) => parseCurrency(value, report)),
      decimals: taken(given, 'decimals', before.decimals, (value) => parseDecimals(value, report)),
    }
  }
  if (type !== 'text') return before
  return { max_length: taken(given, 'max_length', before.max_length, (value) => parseMaxLength(value, report)) }
}

/** Every setting of the type, written out, so that readers need not know the defaults. */
export function usualSettings(type: FieldTypeName): FieldSettings {
  if (type === 'currency') return { currency: CURRENCY_DEFAULT, decimals: DECIMALS_DEFAULT }
  return type === 'text' ? { max_length: TEXT_MAX_DEFAULT } : {}
}

let currencies: ReadonlySet<string> | undefined

function parseCurrency(raw: unknown, report: Report): string | undefined {
  if (raw === null) return CURRENCY_DEFAULT
  const code = typeof raw === 'string' ? raw.trim().toUpperCase() : ''
  currencies ??= new Set(Intl.supportedValuesOf('currency'))
  if (currencies.has(code)) return code
  report('settings.currency', 'The settings.currency must be an ISO 4217 code such as EUR or USD.')
  return undefined
}

function parseDecimals(raw: unknown, report: Report): 0 | 2 | 3 | undefined {
  if (raw === null) return DECIMALS_DEFAULT
  if (raw === 0 || raw === 2 || raw === 3) return raw
  report('settings.decimals', 'The settings.decimals must be 0, 2 or 3.')
  return undefined
}

function parseMaxLength(raw: unknown, report: Report): number | undefined {
  if (raw === null) return TEXT_MAX_DEFAULT
  return parseWhole(raw, { key: 'settings.max_length', from: 1, to: TEXT_MAX_LIMIT }, report)
}

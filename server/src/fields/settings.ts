import type { FieldSettings } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { TEXT_MAX_LIMIT } from '@kith/contract/limits'
import { parseWhole } from './attributes.ts'
import { parseSent, type Sent } from './sent.ts'

/** Reads `settings`: an absent key keeps its value, null resets it to the default. */
export function parseSettings(
  sent: Sent,
  { type, before }: { type: FieldTypeName; before: FieldSettings },
  report: Report,
): FieldSettings {
  const raw = sent.get('settings')
  if (raw === undefined) return before
  const usual = usualSettings(type)
  if (raw === null) return usual
  const given = parseSent(raw, { accepted: Object.keys(usual), path: 'settings' }, report)
  const read = <Name extends keyof FieldSettings>(name: Name) =>
    name in usual && given.has(name)
      ? { [name]: given.get(name) === null ? usual[name] : (parsers[name](given.get(name), report) ?? before[name]) }
      : {}
  return { ...before, ...read('currency'), ...read('decimals'), ...read('max_length') }
}

/** All settings of the type with their defaults, so that readers need not know the defaults. */
export function usualSettings(type: FieldTypeName): FieldSettings {
  return { ...fieldTypes[type].settings }
}

type Parsers = { [Name in keyof FieldSettings]-?: (raw: unknown, report: Report) => FieldSettings[Name] }

const parsers: Parsers = { currency: parseCurrency, decimals: parseDecimals, max_length: parseMaxLength }

let currencies: ReadonlySet<string> | undefined

function parseCurrency(raw: unknown, report: Report): string | undefined {
  const code = typeof raw === 'string' ? raw.trim().toUpperCase() : ''
  currencies ??= new Set(Intl.supportedValuesOf('currency'))
  if (currencies.has(code)) return code
  report('settings.currency', 'The settings.currency must be an ISO 4217 code such as EUR or USD.')
  return undefined
}

function parseDecimals(raw: unknown, report: Report): 0 | 2 | 3 | undefined {
  if (raw === 0 || raw === 2 || raw === 3) return raw
  report('settings.decimals', 'The settings.decimals must be 0, 2 or 3.')
  return undefined
}

function parseMaxLength(raw: unknown, report: Report): number | undefined {
  return parseWhole(raw, { key: 'settings.max_length', from: 1, to: TEXT_MAX_LIMIT }, report)
}

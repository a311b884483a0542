import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'

/** The countries whose phone numbers are known, with their calling codes. */
export function phoneCountries(): { country: string; code: string }[] {
  return getCountries().map((country) => ({ country, code: `+${getCountryCallingCode(country)}` }))
}

/** A number with the code of its country, if it has none and is one of that country. Other texts stay as they are. */
export function withCountryCode(text: string, country: string): string {
  if (hasCountryCode(text)) return text
  // The library returns nothing for a country that it does not know.
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: country as CountryCode, extract: false })
  if (!parsed?.isPossible()) return text
  return parsed.ext ? `${parsed.number};ext=${parsed.ext}` : parsed.number
}

export function hasCountryCode(text: string): boolean {
  return /^\s*(tel:\s*)?(\+|＋|00)/i.test(text)
}

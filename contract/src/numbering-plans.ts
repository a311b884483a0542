// The smallest set of numbering plans. It knows the same lengths as the largest, and we check only lengths.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { setNormalised } from './field-types/phone.ts'

/** E.164 with its extension. Only the length is checked, so that fictional numbers are accepted. */
setNormalised((text) => {
  const parsed = parsePhoneNumberFromString(text, { extract: false })
  if (!parsed?.isPossible()) return undefined
  return parsed.ext ? `${parsed.number};ext=${parsed.ext}` : parsed.number
})

import { Refusal } from '@kith/contract/refusal'
import { updateField } from '../../fields/update.ts'
import type { Step } from '../step.ts'
import type { NewOptions } from './new-options.ts'

/** Creates the options that rows name. Where that is refused, the rows say what is wrong. */
export const addOptions: Step = async (inside, { resource }, input) => {
  // Sent by runImport.
  const { options } = input as { options: NewOptions[] }
  for (const { code, labels } of options) {
    try {
      await updateField(inside, { entity_type: resource, code }, { add_options: labels })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return {}
}

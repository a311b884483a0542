/** The credentials of both nodes, in the form of n8n. */
export class KithApi {
  name = 'kithApi'
  displayName = 'Kith API'
  properties = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: '',
      placeholder: 'https://crm.example.com',
      required: true,
    },
    {
      displayName: 'Access token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ]
}

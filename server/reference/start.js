// Nothing of this page comes from elsewhere or tells anybody anything: fonts, proxy, telemetry and chat are off.
window.Scalar.createApiReference('#reference', {
  url: '/api/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  modelsSectionLabel: 'Schemas',
  orderSchemaPropertiesBy: 'preserve',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})

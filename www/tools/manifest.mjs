/**
 * The extension's manifest for each browser.
 */

/**
 * @param {"chrome" | "firefox"} target
 * @param {string} version
 */
export function manifest(target, version) {
  const icons = Object.fromEntries([16, 32, 48, 128].map((size) => [size, `icons/icon-${size}.png`]));
  const common = {
    manifest_version: 3,
    name: "Wanderwort",
    version,
    description: "__MSG_description__",
    default_locale: "en",
    icons,
    action: { default_popup: "extension/popup.html", default_title: "__MSG_translatePage__", default_icon: icons },
    options_ui: { page: "extension/options.html", open_in_tab: true },
    commands: {
      "translate-page": { suggested_key: { default: "Alt+Shift+T" }, description: "__MSG_translatePage__" },
      "translate-selection": { description: "__MSG_translateSelection__" },
      "translate-typed": { description: "__MSG_translateTyped__" },
    },
    // The tab that the reader acts on, and no other; sites are asked for one by one.
    permissions: ["activeTab", "scripting", "storage", "contextMenus", ...(target === "chrome" ? ["offscreen"] : [])],
    optional_host_permissions: ["http://*/*", "https://*/*"],
    content_security_policy: {
      extension_pages: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *; style-src 'self'",
    },
  };
  if (target === "chrome") {
    return {
      ...common,
      minimum_chrome_version: "123",
      // Models of other lists take room; the permission is asked for together with their hosts. Firefox has none to ask for.
      optional_permissions: ["unlimitedStorage"],
      background: { service_worker: "extension/background.js", type: "module" },
      // Shared memory, and so threads, need pages that are isolated from others.
      cross_origin_embedder_policy: { value: "require-corp" },
      cross_origin_opener_policy: { value: "same-origin" },
    };
  }
  return {
    ...common,
    background: { scripts: ["extension/background-page.js"], type: "module" },
    browser_specific_settings: {
      gecko: {
        id: "wanderwort@wanderwort.invalid",
        strict_min_version: "140.0",
        data_collection_permissions: { required: ["none"] },
      },
      gecko_android: { strict_min_version: "142.0" },
    },
  };
}

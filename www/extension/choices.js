/**
 * The choice between models of one pair of languages, a smaller and a better one.
 */
import { findModels, modelSize } from "../library/catalogue.js";
import { pairKey } from "./known-models.js";
import { languageName } from "./language.js";
import { megabytes, message } from "./messages.js";

/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */

/** How a model compares with the others of its pair. @param {ModelEntry} model @param {ModelEntry[]} all those of the pair */
export function standing(model, all) {
  const sizes = all.map(modelSize);
  const size = modelSize(model);
  const kind = size === Math.min(...sizes) ? "smaller" : size === Math.max(...sizes) ? "better" : "";
  // Two of the same size are told apart by their names.
  const isClear = kind !== "" && sizes.filter((other) => other === size).length === 1;
  return isClear ? message(kind) : model.name;
}

/**
 * Offers the models of each step of a route that has more than one.
 * @param {HTMLElement} box
 * @param {ModelEntry[]} route what is chosen
 * @param {ModelEntry[]} models all there are
 * @param {(choice: {key: string, name: string}) => Promise<void>} choose
 */
export function offerChoices(box, route, models, choose) {
  const focused = document.activeElement?.id;
  box.replaceChildren(
    ...route.flatMap((chosen, i) => {
      const all = findModels(models, chosen.source, chosen.target).filter(
        (other) => pairKey(other) === pairKey(chosen),
      );
      if (all.length < 2) return [];
      const select = Object.assign(document.createElement("select"), { id: `model-${i}` });
      select.append(
        ...all.map((model) => {
          const text = `${standing(model, all)} · ${megabytes(modelSize(model))}`;
          return new Option(text, model.name, false, model === chosen);
        }),
      );
      select.addEventListener("change", () => choose({ key: pairKey(chosen), name: select.value }));
      const label = document.createElement("label");
      const pair = `${languageName(chosen.source)}–${languageName(chosen.target)}`;
      label.append(route.length > 1 ? message("modelFor", pair) : message("model"), " ", select);
      return [label];
    }),
  );
  const again = focused ? document.getElementById(focused) : null;
  if (again && box.contains(again)) again.focus();
}

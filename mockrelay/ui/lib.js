// What the page's own modules take from Preact and htm.
export {
  html,
  render,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "./vendor/htm-preact.js";

//! The published versions of the schema that the receiver of callbacks holds bodies against.
//!
//! The receiver numbers none of them, so they are numbered here in the order in which they were
//! published. Each refuses members that it does not name: a newer body is no older body with more in
//! it. Bodies are kept in the shape of the current version and made into an older one when they are
//! sent, so that a result which was refused can be sent again after the setting was changed.

use serde_json::{Map, Value, json};

use super::callback::Callback;
use crate::levy::LEVY_VERSION;

/// A version of the schema of `PATCH /quotes/{reference}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverSchema {
    /// The first of nrf-backend: a band is a number, and so is the levy.
    V1,
    /// nrf-backend at 64d3eee: a band and the levy have a least and a most.
    V2,
    /// nrf-backend at feb256e: the levy has four members.
    V3,
    /// `quotePatchSchema` of nrf-library at 380bfbd, the current one: catchments with a text as id.
    V4,
}

impl ReceiverSchema {
    /// The version of this name, as the configuration has it.
    pub fn named(name: &str) -> Option<ReceiverSchema> {
        Some(match name {
            "1" => ReceiverSchema::V1,
            "2" => ReceiverSchema::V2,
            "3" => ReceiverSchema::V3,
            "4" => ReceiverSchema::V4,
            _ => return None,
        })
    }

    /// A kept body in the shape of this version. Fails for what was never a body of a callback, or
    /// was kept without a price before the receiver insisted on one.
    pub fn body(self, kept: &str) -> Result<String, serde_json::Error> {
        let body: Value = serde_json::from_str(kept)?;
        let body: Callback = serde_json::from_value(upgraded(body))?;
        let mut body = serde_json::to_value(body)?;
        for plan in plans(&mut body) {
            self.shape(plan);
        }
        serde_json::to_string(&body)
    }

    fn shape(self, plan: &mut Map<String, Value>) {
        if self == ReceiverSchema::V4 {
            return;
        }
        plan.remove("catchments");
        let levy = plan.get_mut("levyGbp");
        let due = |levy: &Value| levy["amountInflationAdjusted"].clone();
        match (self, levy) {
            (ReceiverSchema::V1, Some(levy)) => *levy = due(levy),
            (ReceiverSchema::V2, Some(levy)) => {
                let due = due(levy);
                *levy = json!({"min": due, "max": due});
            }
            (ReceiverSchema::V3 | ReceiverSchema::V4, _) | (_, None) => {}
        }
        if self == ReceiverSchema::V1
            && let Some(Value::Object(impact)) = plan.get_mut("impact")
        {
            for measure in impact.values_mut() {
                measure["band"] = measure["band"]["max"].clone();
            }
        }
    }
}

/// Bodies kept by earlier versions of this program named the price otherwise and had numbers as ids.
fn upgraded(mut body: Value) -> Value {
    for plan in plans(&mut body) {
        let catchments = plan.get_mut("catchments").and_then(Value::as_array_mut);
        for catchment in catchments.into_iter().flatten().filter_map(Value::as_object_mut) {
            if let Some(id) = catchment.get("catchmentId").and_then(Value::as_i64) {
                catchment.insert("catchmentId".to_owned(), id.to_string().into());
            }
        }
        let Some(levy) = plan.get_mut("levyGbp") else { continue };
        let pounds = |levy: &Value, name: &str| levy[name].as_str()?.parse::<f64>().ok();
        if let (Some(before), Some(after)) = (pounds(levy, "provisional"), pounds(levy, "adjusted"))
        {
            *levy = json!({
                "amountExcludingVat": before,
                "amountInflationAdjusted": after,
                "baseAmount": before,
                "modelVersion": LEVY_VERSION,
            });
        }
    }
    body
}

fn plans(body: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let plans = body.get_mut("edps").and_then(Value::as_array_mut);
    plans.into_iter().flatten().filter_map(Value::as_object_mut)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURE: &str = r#"{"amount":1.5,"unit":"mg/I TP","band":{"min":2,"max":2}}"#;

    fn kept(catchment: &str, levy: &str) -> String {
        format!(
            r#"{{"edps":[{{"edpId":3,"edpName":"Broads plan","edpType":"NUTRIENT",
            "impact":{{"nitrogenTotal":{MEASURE},"phosphorusTotal":{MEASURE}}},
            "catchments":[{{"label":"Broads","catchmentOverlapPercentage":100.0,
            "catchmentId":{catchment}}}],"levyGbp":{levy}}}]}}"#
        )
    }

    #[test]
    fn a_body_that_an_earlier_version_kept_is_sent_in_the_current_shape() {
        let now = kept(
            r#""7""#,
            r#"{"amountExcludingVat":160500.0,"amountInflationAdjusted":133215.5,
            "baseAmount":160500.0,"modelVersion":1}"#,
        );
        let before = kept("7", r#"{"provisional":"160500.00","adjusted":"133215.50","units":60}"#);
        let sent = |kept: &str| ReceiverSchema::V4.body(kept).unwrap();
        assert_eq!(sent(&before), sent(&now));
        assert!(sent(&now).contains(r#""catchmentId":"7""#), "{}", sent(&now));
        let unpriced = kept("7", "null").replace(r#","levyGbp":null"#, "");
        assert!(ReceiverSchema::V4.body(&unpriced).is_err(), "there is no price to tell");
        assert!(ReceiverSchema::V4.body("no JSON").is_err());
    }
}

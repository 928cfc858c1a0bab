//! Writing events: the activation goes between the `type` and the fields of the event.

use std::fmt::Display;

use serde::ser::{Error, Impossible, Serialize, SerializeMap, SerializeStruct, Serializer};

use crate::Event;
use plait_core::id::Activation;

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let map = serializer.serialize_map(None)?;
        let fields = FlatFields { map, activation: self.wire_activation() };
        match self {
            Self::Run(event) => event.serialize(fields),
            Self::Loop(_, event) => event.serialize(fields),
            Self::Node(_, event) => event.serialize(fields),
            Self::Context(_, event) => event.serialize(fields),
            Self::Memory(_, event) => event.serialize(fields),
            Self::Call(_, event) => event.serialize(fields),
            Self::Child(_, event) => event.serialize(fields),
            Self::Debug(event) => event.serialize(fields),
        }
    }
}

impl Event {
    /// What `node` and `epoch` say.
    fn wire_activation(&self) -> Option<&Activation> {
        match self {
            Self::Loop(entry, _) => Some(entry),
            _ => self.activation(),
        }
    }
}

/// Writes the fields of an internally tagged enum into a map that is already open.
struct FlatFields<'a, M> {
    map: M,
    /// Written after the first field, which is the tag.
    activation: Option<&'a Activation>,
}

impl<M: SerializeMap> SerializeStruct for FlatFields<'_, M> {
    type Ok = M::Ok;
    type Error = M::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        self.map.serialize_entry(key, value)?;
        if let Some(Activation { node, epoch }) = self.activation.take() {
            self.map.serialize_entry("node", node)?;
            self.map.serialize_entry("epoch", epoch)?;
        }
        Ok(())
    }

    fn end(self) -> Result<M::Ok, M::Error> {
        self.map.end()
    }
}

/// Everything but a struct is refused: events are enums of structs.
macro_rules! refuse {
    ($($method:ident($($arg:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $arg),*) -> Result<$ok, Self::Error> {
            Err(not_a_struct())
        })*
    };
}

impl<M: SerializeMap> Serializer for FlatFields<'_, M> {
    type Ok = M::Ok;
    type Error = M::Error;
    type SerializeSeq = Impossible<M::Ok, M::Error>;
    type SerializeTuple = Impossible<M::Ok, M::Error>;
    type SerializeTupleStruct = Impossible<M::Ok, M::Error>;
    type SerializeTupleVariant = Impossible<M::Ok, M::Error>;
    type SerializeMap = Impossible<M::Ok, M::Error>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<M::Ok, M::Error>;

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Self, M::Error> {
        Ok(self)
    }

    refuse! {
        serialize_bool(bool) -> M::Ok;
        serialize_i8(i8) -> M::Ok;
        serialize_i16(i16) -> M::Ok;
        serialize_i32(i32) -> M::Ok;
        serialize_i64(i64) -> M::Ok;
        serialize_u8(u8) -> M::Ok;
        serialize_u16(u16) -> M::Ok;
        serialize_u32(u32) -> M::Ok;
        serialize_u64(u64) -> M::Ok;
        serialize_f32(f32) -> M::Ok;
        serialize_f64(f64) -> M::Ok;
        serialize_char(char) -> M::Ok;
        serialize_str(&str) -> M::Ok;
        serialize_bytes(&[u8]) -> M::Ok;
        serialize_none() -> M::Ok;
        serialize_unit() -> M::Ok;
        serialize_unit_struct(&'static str) -> M::Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> M::Ok;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<M::Ok, M::Error> {
        Err(not_a_struct())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: &T,
    ) -> Result<M::Ok, M::Error> {
        Err(not_a_struct())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<M::Ok, M::Error> {
        Err(not_a_struct())
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<M::Ok, M::Error> {
        Err(not_a_struct())
    }
}

fn not_a_struct<E: Error>() -> E {
    E::custom("an event is written as a struct")
}
